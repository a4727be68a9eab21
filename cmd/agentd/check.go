package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
)

// question is one line of input.
type question struct {
	ID   json.RawMessage `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// verdict is one line of output.
type verdict struct {
	ID      json.RawMessage `json:"id"`
	Tier    policy.Tier     `json:"tier"`
	Action  string          `json:"action"`
	Summary string          `json:"summary"`
}

// checkClassify is "agentd check classify": one line out for each line in, whatever stands there.
func checkClassify(ctx context.Context, c *call) error {
	root := c.flags.String("root", "/opt/gatehouse", "data folder that relative paths stand under")
	if err := c.parse(0); err != nil {
		return err
	}
	abs, err := filepath.Abs(*root)
	if err != nil {
		return fmt.Errorf("root: %w", err)
	}
	in, out := bufio.NewReader(c.in), bufio.NewWriter(c.out)
	enc := json.NewEncoder(out)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := enc.Encode(classify(line, policy.Env{Root: abs, ByName: true})); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
		if in.Buffered() == 0 || err != nil {
			if ferr := out.Flush(); ferr != nil {
				return fmt.Errorf("write: %w", ferr)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return ctx.Err()
}

// classify judges one line. What cannot be read is forbidden.
func classify(line []byte, e policy.Env) verdict {
	q, err := read(line)
	if err != nil {
		c := policy.Refuse("tool.call.unreadable", "The line cannot be read: "+err.Error())
		return verdict{orNull(q.ID), c.Tier, c.Action, c.Says}
	}
	c := policy.Classify(q.Tool, q.Args, e)
	return verdict{orNull(q.ID), c.Tier, c.Action, c.Says}
}

// read takes exactly the fields of a question, once each.
func read(line []byte) (q question, err error) {
	if _, err := canonical.JSON(line); err != nil {
		return q, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err = d.Decode(&q)
	return q, err
}

func orNull(id json.RawMessage) json.RawMessage {
	if !json.Valid(id) {
		return json.RawMessage("null")
	}
	return id
}
