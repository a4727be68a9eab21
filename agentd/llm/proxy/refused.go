package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/llm/failover"
)

// maxError is how much of an error is read.
const maxError = 64 << 10

// maxSays is how much of a provider's words is passed on.
const maxSays = 1000

// refused reads an answer that is none: an error, or the way to somewhere else.
func (p *Proxy) refused(res *http.Response) *failed {
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		no := unreachable("The model's endpoint points elsewhere (HTTP " + strconv.Itoa(res.StatusCode) + "), which is not followed.")
		no.code = "redirect_refused"
		return no
	case res.StatusCode < 400:
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil {
		b = nil // what it said is lost; that it failed is not
	}
	no := p.said(res.StatusCode, b)
	no.after = wait(res.Header.Get("Retry-After"))
	return no
}

// said puts an error of a provider into ours: its words without secrets, for some repeat the key that they refuse.
func (p *Proxy) said(status int, body []byte) *failed {
	kind, code, says := errorOf(body)
	no := &failed{why: failover.Of(status, string(body)), raw: body}
	no.refusal = refusal{status: status, kind: p.words(kind), code: p.words(code), says: p.words(says)}
	if no.kind == "" {
		no.kind = kindOf(status)
	}
	if no.says == "" {
		no.says = "The model's endpoint answered HTTP " + strconv.Itoa(status) + "."
	}
	return no
}

// errorOf reads an error in the forms that are in use: of OpenAI and Anthropic, with "error" as an object or as words alone, of vLLM and
// Mistral, without it, and of FastAPI, with "detail". What cannot be read has no words.
func errorOf(body []byte) (kind, code, says string) {
	type words struct {
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	var in struct {
		words
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &in) != nil {
		return "", "", ""
	}
	of := in.words
	if len(in.Error) > 0 && json.Unmarshal(in.Error, &of) != nil {
		of.Message = in.Error
	}
	return plain(of.Type), plain(of.Code), cmp.Or(plain(of.Message), plain(in.Detail))
}

// plain is a value as words: a string without its quotes, anything else as it was written.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// words are a provider's, made fit to be passed on.
func (p *Proxy) words(s string) string {
	checker := p.ready.Load()
	if checker == nil || s == "" {
		return ""
	}
	clean, _ := checker.Text(s)
	if len(clean) > maxSays { // cut before, a secret across the cut would leave its beginning
		clean = strings.ToValidUTF8(clean[:maxSays], "")
	}
	return clean
}

func wait(s string) time.Duration {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, 24*time.Hour)
}

// peek reads a stream up to its first event: an error there is one before the first token, and another profile may do
// better. A comment is a sign of life that the caller must not wait for, so it ends the look.
func (p *Proxy) peek(a *answered) *failed {
	if kind, _, err := mime.ParseMediaType(a.head.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return nil
	}
	in := bufio.NewReader(a.head.Body)
	var begun bytes.Buffer
	for start := 0; ; {
		read, err := in.ReadSlice('\n')
		begun.Write(read)
		if errors.Is(err, bufio.ErrBufferFull) && begun.Len() < maxError {
			continue // a line longer than the reader's buffer
		}
		line := begun.Bytes()[start:]
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && err == nil {
			if no := p.errorIn(data); no != nil {
				return no
			}
		}
		a.body = io.MultiReader(&begun, in)
		switch {
		case errors.Is(err, io.EOF) || err == nil && begins(line) || begun.Len() >= maxError:
			return nil
		case err != nil:
			return p.noAnswer(err)
		}
		start = begun.Len()
	}
}

// begins says whether a line ends the look: an event's data, or a comment.
func begins(line []byte) bool {
	return bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte(":"))
}

// errorIn reads an event that is an error. Its status is what it says, or that of a fault.
func (p *Proxy) errorIn(data []byte) *failed {
	var in struct {
		Error *struct {
			Type string          `json:"type"`
			Code json.RawMessage `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &in) != nil || in.Error == nil {
		return nil
	}
	status, err := strconv.Atoi(strings.Trim(string(in.Error.Code), `"`))
	if err != nil || status < 400 || status > 599 {
		status = statusOf(in.Error.Type)
	}
	return p.said(status, data)
}

// statusOf is the status of an error that came without one.
func statusOf(kind string) int {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusBadRequest} {
		if kindOf(status) == kind {
			return status
		}
	}
	return http.StatusBadGateway
}
