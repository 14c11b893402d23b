package model

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	minWait  = 500 * time.Millisecond
	maxWait  = 8 * time.Second
	maxAfter = time.Minute // that a Retry-After can ask for
)

// post sends a request, again where the endpoint may yet take it, and returns the
// last response, whatever its status. Every sign of life calls alive.
func (c *Chat) post(ctx context.Context, body []byte, alive func()) (*http.Response, error) {
	at, err := url.Parse(c.o.BaseURL)
	if err != nil {
		return nil, err
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, at.JoinPath("chat", "completions").String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if c.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	client := retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: watch(alive), CheckRedirect: stay},
		RetryMax:     c.o.Retries,
		RetryWaitMin: minWait, RetryWaitMax: maxWait,
		CheckRetry:   retryablehttp.DefaultRetryPolicy,
		Backoff:      wait,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	return client.Do(req)
}

// stay follows no redirect. The key and the conversation are for the endpoint that
// the user has named, and net/http takes both to another port of its host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// wait bounds what an endpoint may ask for; the library believes it anything.
func wait(shortest, longest time.Duration, again int, res *http.Response) time.Duration {
	d := retryablehttp.DefaultBackoff(shortest, longest, again, res)
	if d < 0 { // more seconds than the library's product holds
		return maxAfter
	}
	return min(d, maxAfter)
}

// watch tells of every try and of every sign of life in a response.
type watch func()

func (alive watch) RoundTrip(req *http.Request) (*http.Response, error) {
	alive()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return res, err
	}
	alive()
	res.Body = &watched{res.Body, alive}
	return res, nil
}

type watched struct {
	io.ReadCloser
	alive func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.alive()
	}
	return n, err
}
