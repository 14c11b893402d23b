// Package model holds what can answer an agent's requests: a chat endpoint (Chat)
// and a command of the user's (Exec). It also delivers messages into a running dsh
// (Dsh), which has a model of its own.
//
// Strings stay JavaScript's on the way (SPEC 2): a request body is what
// JSON.stringify writes, and an answer that splits a character over two pieces
// comes out whole. Every call ends soon after its context does. Nothing here reads
// the environment or writes a log.
//
// The official OpenAI client is not used: it makes a program fifty megabytes larger,
// and its types pass strings through encoding/json.
package model
