package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

type named struct {
	Name string `json:"name"`
}

// echo answers with the name that it is given.
func echo(_ context.Context, in named) (string, error) { return in.Name, nil }

// TestWith: parameters are read as the method says, and what cannot be read is told in its words.
func TestWith(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		how    rpc.Params
		params string
		want   string // empty: refused
	}{
		"plain":            {rpc.Params{}, `{"name":"a"}`, "a"},
		"an unknown field": {rpc.Params{}, `{"name":"a","more":1}`, "a"},
		"a strict one":     {rpc.Params{Strict: true}, `{"name":"a","more":1}`, ""},
		"strict and known": {rpc.Params{Strict: true}, `{"name":"a"}`, "a"},
		"another type":     {rpc.Params{}, `[]`, ""},
		"none":             {rpc.Params{}, ``, ""},
		"none of a strict": {rpc.Params{Strict: true}, ``, ""},
	} {
		c.how.Unreadable = "No."
		got, err := rpc.With(c.how, echo)(t.Context(), json.RawMessage(c.params))
		if c.want != "" {
			if err != nil || got != c.want {
				t.Errorf("%s: %v, %v", what, got, err)
			}
			continue
		}
		var no *wire.RPCError
		if !errors.As(err, &no) || no.Code != "bad_request" || no.Text != "No." || got != nil {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	if got, err := rpc.With(rpc.Params{Optional: true}, echo)(t.Context(), nil); err != nil || got != "" {
		t.Errorf("optional: %v, %v", got, err)
	}
}

// TestResult: an error comes without an answer.
func TestResult(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	h := rpc.Without(func(context.Context) (named, error) { return named{"half"}, failed })
	if got, err := h(t.Context(), json.RawMessage(`{`)); got != nil || !errors.Is(err, failed) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestJoin: each method has one handler, and one that nobody answers is refused.
func TestJoin(t *testing.T) {
	t.Parallel()
	one, two := rpc.Methods{"a": rpc.With(rpc.Params{}, echo)}, rpc.Methods{"b": rpc.With(rpc.Params{}, echo)}
	all, err := rpc.Join(one, two)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if got, err := all.Answer(t.Context(), "b", json.RawMessage(`{"name":"x"}`)); err != nil || got != "x" {
		t.Errorf("%v, %v", got, err)
	}
	var no *wire.RPCError
	if _, err := all.Answer(t.Context(), "c", nil); !errors.As(err, &no) || no.Error() != `bad_request: This server does not answer "c".` {
		t.Errorf("%v", err)
	}
	if all, err := rpc.Join(one, two, rpc.Methods{"a": one["a"]}); err == nil || all != nil {
		t.Errorf("a second handler was taken: %v", err)
	}
}
