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

// frameOf is json.Unmarshal of msg. The frame may share its memory.
func frameOf(msg []byte) (f Frame, err error) {
	if head, body := peel(msg, `,"body":`); body != nil && json.Unmarshal(head, &f) == nil {
		f.Body = body
		return f, nil
	}
	f = Frame{}
	return f, json.Unmarshal(msg, &f)
}

// Event reads the RunEvent in the body of a frame. It may share the body's memory.
func (f Frame) Event() (e RunEvent, err error) {
	if head, data := peel(f.Body, `,"data":`); data != nil && json.Unmarshal(head, &e) == nil {
		e.Data = data
		return e, nil
	}
	e = RunEvent{}
	return e, json.Unmarshal(f.Body, &e)
}

// peel undoes splice: it gives the object without its last member, and that member's value as it came, so that most of
// a message is read once. It gives nothing when msg is not written that way. Whether head is an object is left to who
// reads it: if it is, it was closed outside of every string, list and inner object.
func peel(msg []byte, member string) (head []byte, last json.RawMessage) {
	at := bytes.Index(msg, []byte(member))
	if at < 0 || msg[len(msg)-1] != '}' || len(bytes.TrimSpace(msg[:at])) == 1 { // a comma without a member before it
		return nil, nil
	}
	if last = msg[at+len(member) : len(msg)-1]; !json.Valid(last) {
		return nil, nil
	}
	return append(bytes.Clone(msg[:at]), '}'), last
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
