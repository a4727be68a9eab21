package meter

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/llm/slate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

func TestTap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream bool
		in     string
		want   Usage
		found  bool
	}{
		"chat": {
			false, `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}`,
			Usage{Input: 40, Output: 7, CacheRead: 60},
			true,
		},
		"chat stream": {
			true, "data: {\"choices\":[{\"delta\":{\"content\":\"the \\\"usage\\\" is\"}}],\"usage\":null}\n\n" +
				"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
			Usage{Input: 9, Output: 2},
			true,
		},
		"responses": {
			true, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":30,\"output_tokens\":4,\"input_tokens_details\":{\"cached_tokens\":10}}}}\n\n",
			Usage{Input: 20, Output: 4, CacheRead: 10},
			true,
		},
		"messages stream": {
			true, "event: message_start\r\ndata: {\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1,\"cache_read_input_tokens\":80,\"cache_creation_input_tokens\":3}}}\r\n\r\n" +
				"event: message_delta\r\ndata: {\"delta\":{},\"usage\":{\"output_tokens\":12}}\r\n\r\n",
			Usage{Input: 5, Output: 12, CacheRead: 80, CacheWrite: 3},
			true,
		},
		"embeddings": {false, `{"data":[],"usage":{"prompt_tokens":8,"total_tokens":8}}`, Usage{Input: 8}, true},
		"below nothing": {
			false, `{"usage":{"prompt_tokens":-5,"completion_tokens":-1000000,"prompt_tokens_details":{"cached_tokens":-1},"cache_creation_input_tokens":-2}}`,
			Usage{},
			true,
		},
		"beyond all": {
			false, `{"usage":{"prompt_tokens":9223372036854775807,"input_tokens":9223372036854775807,"completion_tokens":9223372036854775807}}`,
			Usage{Input: maxUsed, Output: maxUsed},
			true,
		},
		"too many to read":   {false, `{"usage":{"prompt_tokens":9,"completion_tokens":1e30}}`, Usage{}, false},
		"nothing said":       {true, "data: {\"choices\":[]}\n\n", Usage{}, false},
		"the word alone":     {true, "data: \"usage\"\n\n", Usage{}, false},
		"no JSON":            {false, `"usage" is what`, Usage{}, false},
		"no end of the line": {true, `data: {"usage":{"prompt_tokens":1}}`, Usage{Input: 1}, true},
		"too long to hold": {
			true, "data: {\"usage\":{\"prompt_tokens\":1},\"x\":\"" + strings.Repeat("x", maxEvent) + "\"}\ndata: {\"usage\":{\"prompt_tokens\":2}}\n",
			Usage{Input: 2},
			true,
		},
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
			got := tap.Used(func() string { return "" })
			if c.found && got != c.want || got.Estimated == c.found {
				t.Errorf("%s in pieces of %d: %+v", name, size, got)
			}
		}
	}
}

// TestTap_estimated: what an answer does not say is counted from its words, whichever protocol they are in.
func TestTap_estimated(t *testing.T) {
	t.Parallel()
	asked := strings.Repeat("Where is the invoice of last week? ", 20)
	for name, c := range map[string]struct {
		stream bool
		in     string
		input  bool // is told
	}{
		"chat": {false, `{"choices":[{"message":{"content":"It is in the folder"}}]}`, false},
		"chat stream": {true, "data: {\"choices\":[{\"delta\":{\"content\":\"It is in \"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{\"content\":\"the folder\"}}]}\n\n", false},
		"chat tools": {false, `{"choices":[{"message":{"content":null,"tool_calls":` +
			`[{"function":{"name":"It is in ","arguments":"the folder"}}]}}]}`, false},
		"responses stream": {true, "data: {\"type\":\"response.output_text.delta\",\"delta\":\"It is in the folder\"}\n\n", false},
		"responses":        {false, `{"output":[{"content":[{"text":"It is in the folder"}]}]}`, false},
		"messages":         {false, `{"content":[{"type":"text","text":"It is in the folder"}]}`, false},
		"messages cut off": {true, "data: {\"message\":{\"usage\":{\"input_tokens\":77,\"output_tokens\":1,\"cache_read_input_tokens\":3}}}\n\n" +
			"data: {\"delta\":{\"type\":\"text_delta\",\"text\":\"It is in the folder\"}}\n\n", true},
	} {
		tap := NewTap(c.stream)
		_, _ = tap.Write([]byte(c.in))
		want := Usage{Input: Estimate(asked), Output: 5, EstInput: Estimate(asked), EstOutput: 5, Estimated: true}
		if c.input {
			want = Usage{Input: 77, Output: 5, CacheRead: 3, EstOutput: 5, Estimated: true}
		}
		if got := tap.Used(func() string { return asked }); got != want || tap.got != 19 {
			t.Errorf("%s: %+v with %d bytes, want %+v", name, got, tap.got, want)
		}
	}
}

// TestEstimate: known counts, and a word without end takes no time that grows with its square.
func TestEstimate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "Hello there, how are you?": 7} {
		if got := Estimate(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
	sentence := strings.Repeat("Where is the invoice of last week? ", 4000)
	if got := Estimate(sentence); got < 30_000 || got > 34_000 {
		t.Errorf("a long text has %d tokens, want about 32,000", got)
	}
	one, three := Estimate(strings.Repeat("a", maxExact)), Estimate(strings.Repeat("a", 3*maxExact))
	if one == 0 || three < 3*one-3 || three > 3*one+3 {
		t.Errorf("one long word: %d tokens, three times that: %d", one, three)
	}
}

// at is a database and a clock that stands still until it is moved.
type at struct {
	t   *testing.T
	dir string
	now time.Time
	db  *store.DB
}

func newAt(t *testing.T) *at {
	t.Helper()
	a := &at{t: t, dir: filepath.Join(t.TempDir(), "s"), now: time.Date(2026, 1, 1, 10, 59, 0, 0, time.UTC)}
	t.Cleanup(func() { _ = a.db.Close() })
	return a
}

// open opens the book in a new life of the process.
func (a *at) open() *Book {
	a.t.Helper()
	if a.db != nil {
		_ = a.db.Close()
	}
	var err error
	if a.db, err = store.Open(a.dir, time.Now); err != nil {
		a.t.Fatal(err)
	}
	b, err := Open(a.t.Context(), a.db, filepath.Join(a.dir, "calls"), func() time.Time { return a.now })
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *at) rows(b *Book, after int64) []wire.UsageRow {
	a.t.Helper()
	all, err := b.Changed(a.t.Context(), after, wire.MaxUsageRows)
	if err != nil {
		a.t.Fatal(err)
	}
	return all
}

func (a *at) begin(b *Book, c Call) *Started {
	a.t.Helper()
	s, err := b.Begin(a.t.Context(), c)
	if err != nil {
		a.t.Fatal(err)
	}
	return s
}

func (a *at) settle(b *Book, c Call, u Usage) {
	a.t.Helper()
	if err := b.Settle(a.t.Context(), a.begin(b, c), u); err != nil {
		a.t.Fatal(err)
	}
}

func callOf(agent string) Call {
	return Call{Agent: agent, Model: "m", Profile: "p", Key: wire.KeyHouse, Sent: 400}
}

func TestBook(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	for _, u := range []Usage{{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, {Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40}} {
		a.settle(b, callOf("a"), u)
	}
	first := a.rows(b, 0)
	if len(first) != 1 || first[0].Requests != 2 || first[0].Input != 11 || first[0].CacheWrite != 44 || first[0].Hour.Hour() != 10 {
		t.Fatalf("first hour of a: %+v", first)
	}
	sub := callOf("helper")
	sub.Parent, sub.Key = "a", wire.KeyOwn
	a.settle(b, sub, Usage{EstInput: 5, Input: 5, Estimated: true})
	a.now = a.now.Add(time.Minute)
	a.settle(b, callOf("a"), Usage{Input: 5})
	later := a.rows(b, first[0].Revision)
	if len(later) != 2 || later[0].Parent != "a" || later[0].Estimated != 1 || later[0].Key != wire.KeyOwn || later[1].Hour.Hour() != 11 {
		t.Errorf("changed since: %+v", later)
	}
	sums, err := b.Sums(t.Context(), a.now.Truncate(24*time.Hour), a.now.Add(24*time.Hour))
	if err != nil || len(sums) != 1 || sums[0].Input != 21 || sums[0].Requests != 4 {
		t.Errorf("sums %+v, %v", sums, err)
	}
}

// TestBook_killed: the next start settles what was begun, by what had passed; what was dropped never counts.
func TestBook_killed(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	streaming := a.begin(b, callOf("a"))
	a.begin(b, callOf("b")) // it has not left
	sent := a.begin(b, callOf("d"))
	dropped := a.begin(b, callOf("c"))
	a.settle(b, callOf("a"), Usage{Input: 7, Output: 1})
	passed := Usage{Output: 30, EstOutput: 30, Estimated: true}
	if err := errors.Join(streaming.Left(), streaming.Note(passed), sent.Left(), sent.Input(93)); err != nil {
		t.Fatal(err)
	}
	b.Drop(dropped)
	before := a.rows(b, 0)
	a.now = a.now.Add(time.Hour)
	b = a.open()
	left := a.rows(b, before[len(before)-1].Revision)
	want := map[string]wire.UsageCounts{
		"a": {Requests: 1, Estimated: 1, Input: 100, Output: 30, EstInput: 100, EstOutput: 30}, "b": {Requests: 1, Estimated: 1},
		"d": {Requests: 1, Estimated: 1, Input: 93, EstInput: 93},
	}
	if len(left) != 3 {
		t.Fatalf("settled at the start: %+v", left)
	}
	for _, r := range left {
		if r.UsageCounts != want[r.Agent] || r.Epoch == before[0].Epoch || r.Hour.Hour() != 10 {
			t.Errorf("settled at the start: %+v", r)
		}
	}
	if again := a.rows(a.open(), left[2].Revision); len(again) != 0 {
		t.Errorf("settled twice: %+v", again)
	}
}

// TestBook_run: what was asked for a run is counted for it too, whoever asked, also when the process was killed or the disk was full.
func TestBook_run(t *testing.T) {
	t.Parallel()
	const r1, r2 = "0198a5d0-0000-7000-8000-000000000001", "0198a5d0-0000-7000-8000-000000000002"
	a := newAt(t)
	b := a.open()
	of := func(agent, run string) Call {
		c := callOf(agent)
		c.Run = run
		return c
	}
	a.settle(b, of("a", r1), Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4})
	a.settle(b, of("a", r1), Usage{Input: 10, EstInput: 10, Estimated: true})
	a.settle(b, of("a", r2), Usage{Input: 100})
	a.settle(b, callOf("a"), Usage{Input: 1000})
	full := func(query string) {
		t.Helper()
		if err := a.db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(context.Background(), query)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	full("CREATE TRIGGER full BEFORE INSERT ON llm_runs BEGIN SELECT RAISE(FAIL, 'full'); END")
	if err := b.Settle(t.Context(), a.begin(b, of("b", r1)), Usage{Output: 7}); err == nil {
		t.Fatal("a full disk kept it: the test shows nothing")
	}
	full("DROP TRIGGER full")
	a.settle(b, of("b", r2), Usage{Output: 1})
	killed := a.begin(b, of("b", r1))
	if err := errors.Join(killed.Left(), killed.Note(Usage{Output: 20, EstOutput: 20, Estimated: true})); err != nil {
		t.Fatal(err)
	}
	a.now = a.now.Add(2 * time.Hour)
	b = a.open()
	got, err := b.OfRun(t.Context(), r1)
	want := []wire.RunUse{
		{Agent: "a", UsageCounts: wire.UsageCounts{
			Requests: 2, Estimated: 1, Input: 11, Output: 2, CacheRead: 3, CacheWrite: 4, EstInput: 10,
		}},
		{Agent: "b", UsageCounts: wire.UsageCounts{Requests: 2, Estimated: 1, Input: 100, Output: 27, EstInput: 100, EstOutput: 20}},
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("of r1: %+v, %v", got, err)
	}
	for i, u := range got {
		want[i].Model, want[i].Key, want[i].Hour = "m", wire.KeyHouse, u.Hour
		if u != want[i] || u.Hour.Hour() != 10 {
			t.Errorf("of r1: %+v, want %+v", u, want[i])
		}
	}
	if got, err := b.OfRun(t.Context(), r2); err != nil || len(got) != 2 || got[0].Input != 100 || got[1].Output != 1 {
		t.Errorf("of r2: %+v, %v", got, err)
	}
	if got, err := b.OfRun(t.Context(), ""); err != nil || len(got) != 0 {
		t.Errorf("of none: %+v, %v", got, err)
	}
	if all := a.rows(b, 0); len(all) == 0 {
		t.Error("the hours have nothing of it")
	}
}

// TestBook_setBack: a database that was put back to an older copy gives out no revision and no row that is known already.
func TestBook_setBack(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	a.settle(b, callOf("a"), Usage{Input: 7})
	known := a.rows(b, 0)
	if err := a.db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "UPDATE llm_revision SET revision = 1; DELETE FROM llm_buckets")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	a.now = a.now.Add(time.Second)
	b = a.open()
	a.settle(b, callOf("a"), Usage{Input: 3})
	now := a.rows(b, known[0].Revision)
	if len(now) != 1 || now[0].Epoch == known[0].Epoch || now[0].Input != 3 {
		t.Errorf("after it was put back: %+v", now)
	}
}

// TestBook_together: answers that come while others are being kept share a row, and none is lost or counted twice.
func TestBook_together(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	const n = 300
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			c := callOf("a")
			c.Model = []string{"m", "o", "q"}[i%3]
			s, err := b.Begin(t.Context(), c)
			if err == nil {
				err = b.Settle(t.Context(), s, Usage{Input: int64(i), Estimated: i%2 == 0})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var requests, estimated, input int64
	kept := a.rows(b, 0)
	for _, r := range kept {
		requests, estimated, input = requests+r.Requests, estimated+r.Estimated, input+r.Input
	}
	if len(kept) != 3 || requests != n || estimated != n/2 || input != n*(n-1)/2 {
		t.Errorf("%d rows, %d answers, %d estimated, %d tokens", len(kept), requests, estimated, input)
	}
	if left := a.rows(a.open(), kept[2].Revision); len(left) > 0 {
		t.Errorf("left on record: %+v", left)
	}
}

// TestBook_failing: once a call could not be put on record, the next one is begun only when that works again.
func TestBook_failing(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	exec := func(query string) {
		t.Helper()
		if err := a.db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(context.Background(), query)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	early := a.begin(b, callOf("a"))
	exec("CREATE TRIGGER full BEFORE UPDATE ON llm_revision BEGIN SELECT RAISE(FAIL, 'full'); END")
	for _, s := range []*Started{early, a.begin(b, callOf("a"))} {
		if err := b.Settle(t.Context(), s, Usage{Input: 100}); err == nil {
			t.Fatal("a full disk kept it: the test shows nothing")
		}
	}
	if _, err := b.Begin(t.Context(), callOf("a")); err == nil {
		t.Error("a call that cannot be metered was begun")
	}
	exec("DROP TRIGGER full")
	a.settle(b, callOf("a"), Usage{Input: 5})
	rows := a.rows(b, 0)
	if len(rows) != 1 || rows[0].Input != 205 || rows[0].Requests != 3 {
		t.Fatalf("after a disk that was full: %+v", rows)
	}
	if left := a.rows(a.open(), rows[0].Revision); len(left) > 0 {
		t.Errorf("settled once more: %+v", left)
	}
}

// TestBook_notWiped: a call that was counted and could not be taken off the record stays known, however many end after it: the next
// start finds it there, and does not count it again.
func TestBook_notWiped(t *testing.T) {
	t.Parallel()
	a := newAt(t)
	b := a.open()
	lost := a.begin(b, callOf("a"))
	if err := b.slate.Close(); err != nil { // its file takes nothing any more
		t.Fatal(err)
	}
	if err := b.Settle(t.Context(), lost, Usage{Input: 7}); err == nil {
		t.Fatal("a file that was closed took it: the test shows nothing")
	}
	var err error
	if b.slate, _, err = slate.Open(filepath.Join(t.TempDir(), "another")); err == nil {
		err = b.slate.Clear()
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var all sync.WaitGroup
		for range manyEnded {
			all.Go(func() {
				s, err := b.Begin(t.Context(), callOf("b"))
				if err == nil {
					err = b.Settle(t.Context(), s, Usage{Input: 1})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if err := a.db.Write(t.Context(), func(tx *sql.Tx) error {
		known, err := settled(t.Context(), tx)
		if len(known) > manyEnded+1 {
			t.Errorf("%d calls are known: the test shows nothing", len(known))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	before := a.rows(b, 0)
	if again := a.rows(a.open(), before[len(before)-1].Revision); len(again) > 0 {
		t.Errorf("counted again: %+v", again)
	}
}
