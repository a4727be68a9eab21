package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// Answer is the status of an answer, its body, and what kind of body that is.
type Answer struct {
	Status int
	Body   []byte
	kind   string
}

// Into reads the body as JSON.
func (a Answer) Into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("answer %d %s: %v", a.Status, a.Body, err)
	}
}

// Send sends a request and reads the whole answer.
func Send(req *http.Request) (Answer, error) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return Answer{res.StatusCode, b, res.Header.Get("Content-Type")}, err
}
