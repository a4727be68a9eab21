package proxy_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"gatehouse/agentd/redact"
)

// cutInto are carriers that hold two or three pieces of a text where a model reads them one after the other.
var cutInto = map[string]func(pieces []string) string{
	"messages": func(p []string) string { return chat(p...) },
	"messages with answers between": func(p []string) string {
		var m []any
		for _, s := range p {
			m = append(m, map[string]any{"role": "user", "content": s}, map[string]any{"role": "assistant", "content": "Go on."})
		}
		return request(map[string]any{"messages": m})
	},
	"parts": func(p []string) string {
		return request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": parts(p, "text")}}})
	},
	"tool results": func(p []string) string {
		var m []any
		for i, s := range p {
			m = append(m, map[string]any{"role": "tool", "tool_call_id": fmt.Sprint("call_", i), "content": s})
		}
		return request(map[string]any{"messages": m})
	},
	"fields of arguments": func(p []string) string {
		args := map[string]string{}
		for i, s := range p {
			args[string(rune('a'+i))] = s
		}
		b, _ := json.Marshal(args) // strings
		return request(map[string]any{"messages": []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "call_0", "type": "function", "function": map[string]any{"name": "look", "arguments": string(b)}}}}}})
	},
}

func request(m map[string]any) string {
	m["model"] = "large"
	b, _ := json.Marshal(m) // strings
	return string(b)
}

func parts(texts []string, kind string) (all []any) {
	for _, s := range texts {
		all = append(all, map[string]any{"type": kind, "text": s})
	}
	return all
}

// TestSplit cuts a secret at every place, into two pieces and into three: none of the pieces that arrive is long enough
// to help anybody.
func TestSplit(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	value := secret(21, 30)
	r := start(t, oneOpenAI(u.srv.URL), redact.Known{Name: "shop.key", Value: value})
	for name, carrier := range cutInto {
		for at := 1; at < len(value); at++ {
			cuts := [][]string{{"see " + value[:at], value[at:] + " there"}}
			if at+3 < len(value) {
				cuts = append(cuts, []string{"see " + value[:at], value[at : at+3], value[at+3:] + " there"})
			}
			for _, pieces := range cuts {
				if status, said := r.post(t, chatPath, carrier(pieces)); status != http.StatusOK {
					t.Fatalf("%s: %d %s", name, status, said)
				}
				wantNoPiece(t, name, u.last(t).body, value)
			}
		}
	}
}

// wantNoPiece fails when eight bytes in a row of the secret arrived.
func wantNoPiece(t *testing.T, what string, body []byte, value string) {
	t.Helper()
	for i := range len(value) - 8 + 1 {
		if bytes.Contains(body, []byte(value[i:i+8])) {
			t.Fatalf("%s: a piece of the secret arrived: %s", what, body)
		}
	}
	if !bytes.Contains(body, []byte("see ")) || !bytes.Contains(body, []byte(" there")) {
		t.Fatalf("%s: the words around are gone: %s", what, body)
	}
}

// attachedAs are the ways to attach a file in the protocols.
var attachedAs = map[string]func(kind string, data []byte) (path, body string){
	"image_url": func(kind string, data []byte) (string, string) {
		return chatPath, request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "image_url", "image_url": map[string]any{"url": dataURL(kind, data)}}}}}})
	},
	"file": func(kind string, data []byte) (string, string) {
		return chatPath, request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "file", "file": map[string]any{"filename": "f", "file_data": dataURL(kind, data)}}}}}})
	},
	"input_file": func(_ string, data []byte) (string, string) {
		return "/v1/responses", request(map[string]any{"input": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_file", "filename": "f", "file_data": base64.StdEncoding.EncodeToString(data)}}}}})
	},
	"input_image": func(kind string, data []byte) (string, string) {
		return "/v1/responses", request(map[string]any{"input": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_image", "image_url": dataURL(kind, data)}}}}})
	},
	"input_audio": func(_ string, data []byte) (string, string) {
		return chatPath, request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_audio", "input_audio": map[string]any{"format": "wav", "data": base64.StdEncoding.EncodeToString(data)}}}}}})
	},
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.RawURLEncoding.EncodeToString(data)
}

// TestAttachments: files whose text can be read arrive without the secret, all others do not arrive.
func TestAttachments(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	value := secret(22, 30)
	r := start(t, oneOpenAI(u.srv.URL), redact.Known{Name: "shop.key", Value: value})
	for name, attach := range attachedAs {
		for what, data := range map[string][]byte{
			"PNG": append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dtEXtkey\x00"), value...), "zip": append([]byte("PK\x03\x04\x14\x00\x00\x00"), value...),
			"PDF": append([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), value...), "NUL": []byte("text\x00" + value), "UTF-16 without a mark": utf16LE(value)[2:],
		} {
			before := len(u.requests())
			path, body := attach("image/png", data)
			if status, said := r.post(t, path, body); status != http.StatusBadRequest || !strings.Contains(said, "attachment") || strings.Contains(said, value) {
				t.Errorf("%s as %s: %d %s", what, name, status, said)
			}
			if len(u.requests()) != before {
				t.Errorf("%s as %s arrived", what, name)
			}
		}
		for what, data := range map[string][]byte{"text": []byte("see " + value + " there"), "CSV": []byte("a;b\n1;" + value + "\n"), "JSON": []byte(`{"a":"` + value + `"}`), "UTF-16": utf16LE("see " + value)} {
			path, body := attach("text/plain", data)
			if status, said := r.post(t, path, body); status != http.StatusOK {
				t.Errorf("%s as %s: %d %s", what, name, status, said)
			}
		}
	}
	if status, said := r.post(t, chatPath, request(map[string]any{"messages": []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,%%%"}}}}}})); status != http.StatusBadRequest {
		t.Errorf("a broken data URL: %d %s", status, said)
	}
	unpacked := 0
	for _, got := range u.requests() {
		for _, piece := range bytes.FieldsFunc(got.body, func(c rune) bool { return c == '"' || c == ',' }) {
			if data, err := base64.StdEncoding.DecodeString(string(piece)); err == nil && bytes.Contains(data, []byte("[SECRET:shop.key]")) {
				unpacked++
			}
		}
	}
	if unpacked != 4*len(attachedAs) {
		t.Errorf("%d of %d text files arrived without their secret", unpacked, 4*len(attachedAs))
	}
	u.wantNoSecret(t, "attachments", value)
}

func utf16LE(s string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// TestOddPlaces: keys, numbers, JSON in JSON with escapes that nobody writes, and places that no protocol knows.
func TestOddPlaces(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	value, digits := secret(23, 30), "48151623421089"
	r := start(t, oneOpenAI(u.srv.URL), redact.Known{Name: "shop.key", Value: value}, redact.Known{Name: "shop.account", Value: digits})
	escaped := forms(value)["unicode escapes"]
	for name, body := range map[string]string{
		"a key":                    `{"model":"large","metadata":{"` + value + `":"x"}}`,
		"an escaped key":           `{"model":"large","metadata":{"` + escaped + `":"x"}}`,
		"an escaped value":         `{"model":"large","messages":[{"role":"user","content":"` + escaped + `"}]}`,
		"a number":                 `{"model":"large","metadata":{"n":` + digits + `}}`,
		"escapes in arguments":     request(map[string]any{"messages": []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"function": map[string]any{"arguments": `{"a":"` + escaped + `"}`}}}}}}),
		"a key twice in arguments": request(map[string]any{"messages": []any{map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"function": map[string]any{"arguments": `{"a":"` + escaped + `","a":1}`}}}}}}),
		"JSON in JSON in JSON":     request(map[string]any{"x": `["{\"y\":\"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"}"]`}),
		"an unknown field":         request(map[string]any{"future": map[string]any{"deep": []any{value}}}),
		"a role":                   request(map[string]any{"messages": []any{map[string]any{"role": value, "content": "x"}}}),
		"an id":                    request(map[string]any{"messages": []any{map[string]any{"role": "tool", "tool_call_id": value, "content": "x"}}}),
	} {
		before := len(u.requests())
		if status, said := r.post(t, chatPath, body); status != http.StatusOK || len(u.requests()) != before+1 {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
	u.wantNoSecret(t, "odd places", value, digits)
}
