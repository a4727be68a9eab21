package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// Event is one server-sent event of a run.
type Event struct {
	n    int64
	Kind wire.Event
	data json.RawMessage
}

// read reads the events of a run from a number on, until the last one, until take has had enough, or until the
// connection breaks, which is an error.
func (c *Client) read(ctx context.Context, run string, from int64, take func(Event) bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Hub.URL("/api/v1/customer/chat/"+run+"/events"), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.Hub.Demo.Customer.APIToken)
	if from > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(from, 10))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("events of %s: %s", run, res.Status)
	}
	return eachEvent(res.Body, take)
}

func eachEvent(r io.Reader, take func(Event) bool) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	var e Event
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), ": ")
		switch name {
		case "id":
			e.n, _ = strconv.ParseInt(value, 10, 64) // zero stands out
		case "event":
			e.Kind = wire.Event(value)
		case "data":
			e.data = append(e.data, value...)
		case "":
			if e.Kind != "" && (!take(e) || e.Kind == wire.EventFinal || e.Kind == wire.EventError) {
				return nil
			}
			e = Event{}
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// Decode reads the data of an event.
func Decode[T any](t *testing.T, e Event) (v T) {
	t.Helper()
	if err := json.Unmarshal(e.data, &v); err != nil {
		t.Errorf("event %s %s: %v", e.Kind, e.data, err)
	}
	return v
}
