package meter

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/store"
)

func TestTap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream bool
		in     string
		want   Usage
		found  bool
	}{
		"chat": {false, `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}`, Usage{40, 7, 60, 0}, true},
		"chat stream": {true, "data: {\"choices\":[{\"delta\":{\"content\":\"the \\\"usage\\\" is\"}}],\"usage\":null}\n\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n", Usage{9, 2, 0, 0}, true},
		"responses": {true, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":30,\"output_tokens\":4,\"input_tokens_details\":{\"cached_tokens\":10}}}}\n\n", Usage{20, 4, 10, 0}, true},
		"messages stream": {true, "event: message_start\r\ndata: {\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1,\"cache_read_input_tokens\":80,\"cache_creation_input_tokens\":3}}}\r\n\r\n" +
			"event: message_delta\r\ndata: {\"delta\":{},\"usage\":{\"output_tokens\":12}}\r\n\r\n", Usage{5, 12, 80, 3}, true},
		"embeddings":         {false, `{"data":[],"usage":{"prompt_tokens":8,"total_tokens":8}}`, Usage{8, 0, 0, 0}, true},
		"below nothing":      {false, `{"usage":{"prompt_tokens":-5,"completion_tokens":-1000000,"prompt_tokens_details":{"cached_tokens":-1},"cache_creation_input_tokens":-2}}`, Usage{}, true},
		"beyond all":         {false, `{"usage":{"prompt_tokens":9223372036854775807,"input_tokens":9223372036854775807,"completion_tokens":9223372036854775807}}`, Usage{maxUsed, maxUsed, 0, 0}, true},
		"too many to read":   {false, `{"usage":{"prompt_tokens":9,"completion_tokens":1e30}}`, Usage{}, false},
		"nothing said":       {true, "data: {\"choices\":[]}\n\n", Usage{}, false},
		"the word alone":     {true, "data: \"usage\"\n\n", Usage{}, false},
		"no JSON":            {false, `"usage" is what`, Usage{}, false},
		"no end of the line": {true, `data: {"usage":{"prompt_tokens":1}}`, Usage{1, 0, 0, 0}, true},
		"too long to hold":   {true, "data: {\"usage\":{\"prompt_tokens\":1},\"x\":\"" + strings.Repeat("x", maxEvent) + "\"}\ndata: {\"usage\":{\"prompt_tokens\":2}}\n", Usage{2, 0, 0, 0}, true},
	} {
		for _, size := range []int{1, 7, 1 << 20} {
			tap := NewTap(c.stream)
			for rest := []byte(c.in); len(rest) > 0; {
				n := min(size, len(rest))
				if took, err := tap.Write(rest[:n]); took != n || err != nil {
					t.Fatalf("%s: took %d of %d, %v", name, took, n, err)
				}
				rest = rest[n:]
			}
			if got, found := tap.Used(); got != c.want || found != c.found {
				t.Errorf("%s in pieces of %d: %+v %v", name, size, got, found)
			}
		}
	}
}

func TestBook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 10, 59, 0, 0, time.UTC)
	db, err := store.Open(filepath.Join(t.TempDir(), "s"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	b := New(db, func() time.Time { return now })
	add := func(agent string, u Usage, metered bool) {
		t.Helper()
		if err := b.Add(t.Context(), agent, "p", "m", u, metered); err != nil {
			t.Fatal(err)
		}
	}
	add("a", Usage{1, 2, 3, 4}, true)
	add("a", Usage{10, 20, 30, 40}, true)
	add("b", Usage{}, false)
	now = now.Add(time.Minute)
	add("a", Usage{5, 5, 5, 5}, true)
	all, err := b.Since(t.Context(), now.Add(-time.Hour))
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	if e := all[0]; e.Agent != "a" || e.Requests != 2 || e.Usage != (Usage{11, 22, 33, 44}) || e.Unmetered != 0 || e.Hour.Hour() != 10 {
		t.Errorf("first hour of a: %+v", e)
	}
	if e := all[1]; e.Agent != "b" || e.Unmetered != 1 || e.Requests != 1 {
		t.Errorf("b: %+v", e)
	}
	if late, err := b.Since(t.Context(), now); err != nil || len(late) != 1 || late[0].Input != 5 {
		t.Errorf("second hour: %+v, %v", late, err)
	}
}

// TestBook_together: answers that come while others are being kept share a row, and none is lost or counted twice.
func TestBook_together(t *testing.T) {
	t.Parallel()
	db, err := store.Open(filepath.Join(t.TempDir(), "s"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	now := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	b := New(db, func() time.Time { return now })
	const n = 300
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := b.Add(t.Context(), "a", "p", []string{"m", "o", "q"}[i%3], Usage{Input: int64(i)}, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	kept, err := b.Since(t.Context(), now)
	if err != nil || len(kept) != 3 {
		t.Fatalf("%+v, %v", kept, err)
	}
	var requests, unmetered, input int64
	for _, e := range kept {
		requests, unmetered, input = requests+e.Requests, unmetered+e.Unmetered, input+e.Input
	}
	if requests != n || unmetered != n/2 || input != n*(n-1)/2 {
		t.Errorf("%d answers, %d without usage, %d tokens", requests, unmetered, input)
	}
}
