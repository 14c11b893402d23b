package model

import (
	"net/url"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
)

// The environment variables that hold keys, and the endpoints they are for.
const (
	DeepSeekKey = "DEEPSEEK_API_KEY"
	OpenAIKey   = "OPENAI_API_KEY"

	deepSeekURL = "https://api.deepseek.com/v1"
	openAIURL   = "https://api.openai.com/v1"
)

// Endpoint is where a chat model is asked.
type Endpoint struct {
	BaseURL  string // what stands before /chat/completions
	Key      string // empty: none is sent
	Provider string // what a log calls it
}

// FindEndpoint says where a model is asked and with which key. Without a base URL
// that is DeepSeek for its own models, else the one whose key there is. With one,
// DeepSeek's key is for DeepSeek's hosts, and elsewhere the key is OPENAI_API_KEY,
// or the other where it is the only one; a local endpoint may need none.
func FindEndpoint(model, baseURL string, getenv func(string) string) (Endpoint, error) {
	deepSeek, openAI := getenv(DeepSeekKey), getenv(OpenAIKey)
	if baseURL == "" {
		switch ours := strings.HasPrefix(model, "deepseek"); {
		case deepSeek != "" && (ours || openAI == ""):
			return Endpoint{deepSeekURL, deepSeek, "deepseek"}, nil
		case openAI != "" && !ours:
			return Endpoint{openAIURL, openAI, "openai"}, nil
		}
		return Endpoint{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Message: "no key for model " + fault.Quote(model),
			Hint: "set " + DeepSeekKey + " or " + OpenAIKey + ", or name an endpoint with --base-url",
		}
	}
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Endpoint{}, &fault.Error{
			Kind: fault.Usage, Code: fault.UsageCode, Subject: fault.Quote(baseURL), Message: "not an http or https URL",
		}
	}
	e := Endpoint{BaseURL: baseURL, Key: openAI, Provider: u.Hostname()}
	switch host := u.Hostname(); {
	case host == "deepseek.com" || strings.HasSuffix(host, ".deepseek.com"):
		e.Key, e.Provider = deepSeek, "deepseek"
	case host == "openai.com" || strings.HasSuffix(host, ".openai.com"):
		e.Provider = "openai"
	case openAI == "":
		e.Key = deepSeek
	}
	return e, nil
}
