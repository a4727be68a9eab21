package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"gatehouse/agentd/policy/canonical"
)

// roomToCheck is how much the heap of a filter may grow, in percent of what is alive, before it is swept. Little is alive
// between two lines: at Go's default of 100 one line in a hundred waits for the sweeping.
const roomToCheck = 400

// checkLines answers each line of input with one line of output, in order, whatever stands there.
func checkLines(ctx context.Context, c *call, answer func(line []byte) any) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(roomToCheck))
	}
	in, out := bufio.NewReader(c.in), bufio.NewWriter(c.out)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := enc.Encode(answer(line)); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
		if in.Buffered() == 0 || err != nil {
			if err := out.Flush(); err != nil {
				return fmt.Errorf("write: %w", err)
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

// readLine decodes one JSON object into v. Every field stands once at most, those in must do stand there, and what v does
// not know is a note of whoever wrote the line. An id that could be read stays in v on errors.
func readLine(line []byte, v any, must ...string) error {
	if _, err := canonical.JSON(line); err != nil {
		return fmt.Errorf("no question: %w", err)
	}
	if err := json.Unmarshal(line, v); err != nil || len(must) == 0 {
		return err
	}
	var has map[string]json.RawMessage
	if err := json.Unmarshal(line, &has); err != nil {
		return err
	}
	for _, name := range must {
		if _, ok := has[name]; !ok {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	return nil
}
