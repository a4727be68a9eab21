package proxy

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"gatehouse/agentd/llm/jsontree"
)

// maxBody is how large a request may be.
const maxBody = 16 << 20

// maxTrusted is how much room a request gets by its length alone.
const maxTrusted = 1 << 20

// read takes the body of a request as JSON that can be read in one way only: one encoding, one length, one value.
func read(w http.ResponseWriter, r *http.Request) (*jsontree.Value, *fault) {
	if no := encoded(r); no != nil {
		return nil, no
	}
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // the sockets here all have deadlines
	var b strings.Builder
	b.Grow(int(min(max(r.ContentLength, 0), maxTrusted)))
	p := pieces.Get().(*piece)
	_, err := io.CopyBuffer(&b, http.MaxBytesReader(w, r.Body, maxBody), p[:])
	pieces.Put(p)
	_ = rc.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge()
	case err != nil:
		return nil, &fault{http.StatusBadRequest, "body", "The request broke off."}
	}
	root, err := jsontree.Parse(b.String())
	if err != nil {
		return nil, &fault{http.StatusBadRequest, "invalid_json", "The request is " + err.Error() + "."}
	}
	if root.Kind != jsontree.Object {
		return nil, &fault{http.StatusBadRequest, "invalid_json", "The request is not a JSON object."}
	}
	return root, nil
}

func tooLarge() *fault {
	return &fault{http.StatusRequestEntityTooLarge, "too_large", "The request is larger than 16 MB, so it was not sent."}
}

// encoded refuses a body that is not plain JSON, and query parameters but the one that Anthropic's clients send.
func encoded(r *http.Request) *fault {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	switch enc := strings.Join(r.Header.Values("Content-Encoding"), ","); {
	case enc != "" && !strings.EqualFold(enc, "identity"):
		return &fault{http.StatusUnsupportedMediaType, "encoding", "The request must not be compressed."}
	case err != nil || kind != "application/json" || charset != "" && charset != "utf-8":
		return &fault{http.StatusUnsupportedMediaType, "content_type", "The request must be application/json in UTF-8."}
	case r.URL.RawQuery != "" && r.URL.RawQuery != "beta=true":
		return &fault{http.StatusBadRequest, "query", "The request has query parameters that the model proxy does not forward."}
	}
	return nil
}

// plainValue is what a header may hold that goes on to a provider: versions and names of features.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9._,= -]{1,200}$`)

// passedOn are the caller's headers that a provider sees. All others stay here.
var passedOn = []string{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta"}

// headers takes those that go on. What is a secret in one of them refuses the request.
func headers(r *http.Request, clean func(string) (string, int)) (http.Header, *fault) {
	out := http.Header{}
	for _, name := range passedOn {
		v := strings.Join(r.Header.Values(name), ",")
		if v == "" {
			continue
		}
		if _, found := clean(v); found > 0 || !plainValue.MatchString(v) {
			return nil, &fault{http.StatusBadRequest, "header", "The header " + name + " holds what the model proxy does not forward."}
		}
		out.Set(name, v)
	}
	return out, nil
}
