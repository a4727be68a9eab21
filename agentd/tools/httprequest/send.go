package httprequest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

const (
	// maxAnswer is how much of an answer is kept.
	maxAnswer = 1 << 20
	// beyond is how much more is read, so that a secret across the end is seen whole; the rest is left on the wire.
	beyond = 64 << 10
)

// client goes to one origin alone, once: no proxy, no redirect, no connection kept, nothing unpacked.
func (t *Tool) client(r *request) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       timeout,
		Transport: &http.Transport{
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return t.dial.connect(ctx, r.tool, r.to) },
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: timeout,
		},
	}
}

// send sends it and reads the answer, whose status is 0 when there is none.
func (t *Tool) send(out *outgoing, r *request) (res tool.Result, status int, err error) {
	resp, err := t.client(r).Do(out.Request)
	if err != nil {
		return res, 0, failed(err, r)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+beyond))
	if err != nil && len(raw) == 0 {
		return res, 0, failed(err, r)
	}
	return r.answer(out, resp, raw), resp.StatusCode, nil
}

// missed says why a business tool counts as not reached; empty when it was.
func missed(status int, err error) string {
	var no *tool.Refused
	switch {
	case errors.As(err, &no):
		return no.Text
	case status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout:
		return fmt.Sprintf("It answered with HTTP %d.", status)
	}
	return ""
}

// failed is an error that the model reads. It holds no header, body or query, and no word that came from the other side: an
// error is not wrapped and marked as an answer is.
func failed(err error, r *request) error {
	if errors.Is(err, errAddress) {
		return tool.Refuse("%s was not reached: %v. Nothing was sent.", r.tool.Name, errAddress)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return tool.Refuse("%s did not answer in time. It is not known whether it was done.", r.tool.Name)
	}
	if why := unreached(err); why != "" {
		return tool.Refuse("%s was not reached at %s: %s. Nothing was sent.", r.tool.Name, r.to, why)
	}
	why := "its answer is not HTTP as it should be"
	var no *os.SyscallError
	switch {
	case errors.As(err, &no):
		why = no.Err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		why = "it ended the connection without an answer"
	}
	return tool.Refuse("%s gave no answer at %s: %s. It is not known whether it was done.", r.tool.Name, r.to, why)
}

// unreached says why there was no connection, in words of ours or of this machine; empty when there was one.
func unreached(err error) string {
	var (
		name *net.DNSError
		cert *tls.CertificateVerificationError
		dial *net.OpError
		no   *os.SyscallError
	)
	switch {
	case errors.As(err, &name):
		return "its name was not found"
	case errors.As(err, &cert):
		return "its certificate is not accepted"
	case !errors.As(err, &dial) || dial.Op != "dial":
		return ""
	case errors.As(err, &no):
		return no.Err.Error()
	}
	return "there is no way to it"
}

// answer is what the model reads.
func (r *request) answer(out *outgoing, resp *http.Response, raw []byte) tool.Result {
	text := string(raw)
	head := fmt.Sprintf("HTTP %d %s\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	for _, h := range []string{"Content-Type", "Location"} {
		if v := resp.Header.Get(h); v != "" {
			head += h + ": " + v + "\n"
		}
	}
	if len(raw) > maxAnswer {
		text = redact.Clip(out.scrub(text), maxAnswer)
		text += fmt.Sprintf("\n[cut: only the first %s were read]", tool.Bytes(maxAnswer))
	}
	does := r.in.Method + " " + r.url.EscapedPath()
	res := tool.Result{
		Text: out.scrub(head + "\n" + text), Summary: fmt.Sprintf("%s answered %d to %s", r.tool.Name, resp.StatusCode, does),
		Facts: []tool.Fact{{Name: "status", Value: int64(resp.StatusCode), Text: fmt.Sprintf("HTTP %d", resp.StatusCode)}},
		Meta: map[string]any{
			gate.MetaOutside: true, gate.MetaSource: r.tool.Name, gate.MetaID: r.to.String() + r.url.EscapedPath(), "tool": r.tool.Name, "host": r.to.String(),
		},
	}
	if resp.StatusCode/100 == 2 && !reads(r.in.Method) {
		res.Effects = []tool.Effect{{Kind: "ran", Target: r.tool.Name + " " + does, Count: 1}}
	}
	return res
}

// scrub takes the values that went out of an answer that repeats them, plain or as JSON. The gate redacts the rest.
func (o *outgoing) scrub(text string) string {
	for _, v := range o.used {
		plain := v.Reveal()
		if len(plain) < 4 {
			continue // so short that it stands everywhere
		}
		text = strings.ReplaceAll(text, plain, "[SECRET]")
		if quoted, err := json.Marshal(plain); err == nil {
			text = strings.ReplaceAll(text, string(quoted[1:len(quoted)-1]), "[SECRET]")
		}
	}
	return text
}
