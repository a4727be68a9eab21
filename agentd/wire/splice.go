package wire

import (
	"bytes"
	"encoding/json"
)

// bytes is f in JSON.
func (f Frame) bytes() ([]byte, error) {
	body := f.Body
	if len(body) == 0 {
		return json.Marshal(f)
	}
	f.Body = hole
	return splice(f, body)
}

// Bytes is e in JSON.
func (e RunEvent) Bytes() ([]byte, error) {
	data := e.Data
	if len(data) == 0 {
		return json.Marshal(e)
	}
	e.Data = hole
	return splice(e, data)
}

// hole stands where something is put that is JSON already.
var hole = json.RawMessage("0")

// splice writes v, whose last member is a hole, with raw in it. Encoding would read every byte of raw to check what its
// maker has just written.
func splice(v any, raw json.RawMessage) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSuffix(b, []byte("0}"))
	return append(append(b, raw...), '}'), nil
}
