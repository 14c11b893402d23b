// Package model is a language model that only says what it was told to say. It speaks
// the four protocols of the agents that the suite drives: Anthropic's messages, OpenAI's
// responses, OpenAI's chat completions, and Gemini's generateContent, each with streaming
// and without. It keeps the body of every request.
//
// What it answers depends on the newest message of the user alone:
//
//   - ANSWER n, with the request's number, and a text that is hard to keep exactly;
//   - Let me run it (n). and a call of the shell tool, where the message holds USETOOL
//     and the request offers such a tool;
//   - SUMMARY n to a request for a summary, in the form that the agent wants;
//   - the same, but held back behind the first words until Release, where the message
//     holds SLOW.
//
// Requests that offer no tool are an agent's errands (titles, routing): they are answered
// at once and with no call.
package model
