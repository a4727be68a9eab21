package netcup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/app/provider/vpshost"
)

const (
	core     = "/scp-core/api/v1"
	mostRead = 4 << 20
	tries    = 4
	longest  = 20 * time.Second // that a call waits before it asks again; who wants it waits longer himself
)

// answerError is an answer that is no success.
type answerError struct {
	status  int
	code    string
	message string
	after   time.Duration // what netcup wants to be left alone for; 0: it does not say
}

func (e *answerError) Error() string {
	return fmt.Sprintf("netcup answers %d %s: %s", e.status, e.code, redact.Text(e.message))
}

// laterError says when netcup is to be asked again. It is machine.Later.
type laterError struct {
	cause error
	after time.Duration
}

func (e *laterError) Error() string        { return e.cause.Error() }
func (e *laterError) Unwrap() error        { return e.cause }
func (e *laterError) After() time.Duration { return e.after }

// call asks the API. What netcup did not carry out, or what changes nothing, is asked again; everything else is asked once, and an
// answer that does not come is an error: who asked looks at netcup's record before he asks again.
func (a *Account) call(ctx context.Context, method, path string, body, into any) error {
	stale, pause := "", time.Second
	for try := 1; ; try++ {
		l, err := a.access(ctx, stale)
		if err != nil {
			return err
		}
		err = a.request(ctx, method, core+path, l.Access, body, into)
		var answer *answerError
		said := errors.As(err, &answer)
		switch {
		case err == nil:
			return nil
		case said && answer.status == http.StatusUnauthorized && stale == "":
			stale = l.Access
			continue
		case said && answer.status == http.StatusTooManyRequests: // nothing was done
			pause = max(pause, answer.after)
		case method != http.MethodGet || said && answer.status < 500:
			return inWords(err)
		}
		if try == tries || pause > longest {
			return &laterError{inWords(err), pause}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errAway, ctx.Err())
		case <-time.After(pause):
		}
		pause *= 2
	}
}

// request sends one request and reads its answer.
func (a *Account) request(ctx context.Context, method, path, access string, body, into any) error {
	r, err := newRequest(ctx, method, a.base()+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+access)
	answer, err := client.Do(r)
	if err != nil {
		return away(err)
	}
	defer func() { _ = answer.Body.Close() }()
	read, err := io.ReadAll(io.LimitReader(answer.Body, mostRead))
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	if answer.StatusCode/100 != 2 {
		return a.failed(answer, read)
	}
	if into == nil || len(read) == 0 {
		return nil
	}
	if err := json.Unmarshal(read, into); err != nil {
		return fmt.Errorf("%w: its answer to %s cannot be read", errAway, path)
	}
	return nil
}

func newRequest(ctx context.Context, method, address string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("ask netcup: %w", err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, fmt.Errorf("ask netcup: %w", err)
	}
	r.Header.Set("Accept", "application/json")
	switch {
	case body != nil && method == http.MethodPatch:
		r.Header.Set("Content-Type", "application/merge-patch+json")
	case body != nil:
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// failed reads an answer that is no success.
func (a *Account) failed(answer *http.Response, read []byte) error {
	e := &answerError{status: answer.StatusCode}
	var says struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(read, &says) == nil {
		e.code, e.message = says.Code, says.Message
	}
	e.after = a.left(answer.Header)
	return e
}

// left is how long netcup wants to be left alone; 0: it does not say. More than an hour is no pause but a mistake.
func (a *Account) left(h http.Header) time.Duration {
	const most = time.Hour
	after := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(after, 10, 32); err == nil {
		return min(max(0, time.Duration(seconds)*time.Second), most)
	}
	at, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(a.Now())), most)
}

// inWords makes an answer that a repeat would not change a refusal. All others are tried again.
func inWords(err error) error {
	var answer *answerError
	if !errors.As(err, &answer) {
		return err
	}
	reason := ""
	switch answer.status {
	case http.StatusUnauthorized:
		reason = cutOff
	case http.StatusForbidden:
		reason = "netcup turns the hub away. Allow the REST API and the address of this hub in the Server Control Panel, then try again."
	case http.StatusNotFound:
		reason = gone
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		reason = "netcup did not accept this. Nothing was changed. It says: " + said(answer.message)
	}
	if reason == "" {
		return err
	}
	return fmt.Errorf("%w (%w)", &vpshost.RefusedError{Reason: reason}, err)
}

const gone = "netcup has no such machine in the account any more. Look at it in the Server Control Panel."

// said is what netcup wrote, for people: short, and without anything that looks like a secret.
func said(message string) string {
	const most = 200
	text := []rune(redact.Text(message))
	if len(text) == 0 {
		return "nothing."
	}
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return string(text)
}
