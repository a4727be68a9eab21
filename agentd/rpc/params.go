package rpc

import (
	"bytes"
	"context"
	"encoding/json"
)

// Params says how the parameters of a method are read.
type Params struct {
	Unreadable string // what the person who asked is told about parameters that cannot be read
	Optional   bool   // no parameters are the zero value
	Strict     bool   // unknown fields are refused
}

// With makes a handler of a function that takes parameters.
func With[P, R any](how Params, fn func(context.Context, P) (R, error)) Handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var in P
		if err := how.read(params, &in); err != nil {
			return nil, badRequest(how.Unreadable)
		}
		return result(fn(ctx, in))
	}
}

// Without makes a handler of a function that takes none. Parameters are ignored.
func Without[R any](fn func(context.Context) (R, error)) Handler {
	return func(ctx context.Context, _ json.RawMessage) (any, error) { return result(fn(ctx)) }
}

func (p Params) read(params json.RawMessage, in any) error {
	if p.Optional && len(params) == 0 {
		return nil
	}
	if !p.Strict {
		return json.Unmarshal(params, in)
	}
	d := json.NewDecoder(bytes.NewReader(params))
	d.DisallowUnknownFields()
	return d.Decode(in)
}

// result leaves out an answer that comes with an error.
func result(out any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return out, nil
}
