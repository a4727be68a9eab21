package channel_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const (
	owner    = "owner@example.com"
	stranger = "someone@elsewhere.example"
)

// world is the channels of a server on a real store, a real gate, a real vault and real keys of an owner. Its one channel keeps what is
// sent in a file.
type world struct {
	*channel.Channels
	*gatetest.World
	dir   string
	vault *vault.Vault
	shelf *shelf
	runs  *runs
	post  *post
	stop  func() error

	box   string       // what a form seals; empty: a password
	level atomic.Int64 // of agents; 0: 2

	mu      sync.Mutex
	skew    time.Duration
	keepKey bool // dropping a key fails

	pause atomic.Pointer[wire.AgentPause] // of the agent that answers
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.skew)
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skew += d
}

// runs keeps what was begun in a table beside those of the channels, so that it is as durable as they are.
type runs struct {
	w      *world
	before func(what string)
	taint  []policy.Source

	mu    sync.Mutex
	files []tool.Attachment // that go with every answer
}

func (r *runs) Begin(tx *sql.Tx, s channel.Start) error {
	r.before("begin")
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(context.Background(), "INSERT INTO test_runs (id, start, answer) VALUES (?,?,'')", s.RunID, string(raw))
	r.before("begun")
	return err
}

// Stop ends a run at once.
func (r *runs) Stop(ctx context.Context, tx *sql.Tx, run string, _ wire.Origin) error {
	_, err := tx.ExecContext(ctx, "UPDATE test_runs SET answer = 'It was stopped.' WHERE id = ?", run)
	return err
}

// Erase deletes the runs of a conversation, unless one of them has not ended.
func (r *runs) Erase(ctx context.Context, session string) (done bool, err error) {
	r.before("erase")
	err = r.w.DB.Write(ctx, func(tx *sql.Tx) error {
		var open int
		const of = "json_extract(start, '$.Session') = ?"
		const atWork = "SELECT count(*) FROM test_runs WHERE answer = '' AND json_extract(start, '$.Say') = '' AND " + of
		err := tx.QueryRowContext(ctx, atWork, session).Scan(&open)
		if done = open == 0; err != nil || !done {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM test_runs WHERE "+of, session)
		_, err2 := tx.ExecContext(ctx, "INSERT OR IGNORE INTO deleted_sessions (id, at) VALUES (?, 1)", session)
		return errors.Join(err, err2, r.w.Gate.Forget(ctx, tx, session))
	})
	return done, err
}

func (r *runs) Answer(ctx context.Context, run string) (channel.Answer, error) {
	var text string
	err := r.w.DB.Read().QueryRowContext(ctx, "SELECT answer FROM test_runs WHERE id = ?", run).Scan(&text)
	if into, is := strings.CutPrefix(text, "into "); is {
		return channel.Answer{Ended: true, Into: into}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return channel.Answer{Ended: text != "", Text: text, Taint: r.taint, Files: r.files}, err
}

// all are the runs that were begun, oldest first.
func (w *world) all(t testing.TB) (all []channel.Start) {
	t.Helper()
	rows, err := w.DB.Read().QueryContext(t.Context(), "SELECT start FROM test_runs ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var raw string
		var s channel.Start
		if err := errors.Join(rows.Scan(&raw), json.Unmarshal([]byte(raw), &s)); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// answer ends a run with a text.
func (w *world) answer(t testing.TB, run, text string) {
	t.Helper()
	err := w.DB.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "UPDATE test_runs SET answer = ? WHERE id = ?", text, run)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Wake()
}

// post is a provider: what it is given to hand on, and a file of what was sent.
type post struct {
	path string
	can  channel.Capabilities
	env  channel.Env

	secrets []string // of the kind, if it has several
	hooked  bool     // messages are brought to it
	mays    []string // that it may have besides

	mu     sync.Mutex
	feed   []channel.Inbound
	more   chan struct{}
	refuse error
	broken bool   // what is set is not taken any more
	panics bool   // once, at the next message
	after  func() // called when it has a message, before it says so
}

func (*post) Name() string                                { return wire.ChannelEmail }
func (*post) Check(context.Context) (reads, sends string) { return "", "" }

func (p *post) Capabilities() channel.Capabilities {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.can
}

// allows says from now on whether a message shows for sure who it is from.
func (p *post) allows(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.can.Allows = is
}

// refuses says what becomes of every message from now on; nil: it is sent.
func (p *post) refuses(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = err
}

// Run hands on what comes after the cursor.
func (p *post) Run(ctx context.Context, out chan<- channel.Inbound) error {
	p.mu.Lock()
	at, _ := strconv.Atoi(p.env.Cursor)
	up := p.env.Up
	p.mu.Unlock()
	up("")
	for {
		p.mu.Lock()
		var m *channel.Inbound
		if at < len(p.feed) {
			m = &p.feed[at]
			m.Cursor = strconv.Itoa(at + 1)
		}
		panics := m != nil && p.panics
		p.panics = p.panics && !panics
		p.mu.Unlock()
		if panics {
			panic("a parser")
		}
		if m == nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-p.more:
			}
			continue
		}
		select {
		case out <- *m:
			at++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *post) Send(_ context.Context, permit gate.Permit, m channel.Outbound) (channel.Delivery, error) {
	if err := permit.Redeem(m.Args); err != nil {
		return channel.Delivery{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return channel.Delivery{}, p.refuse
	}
	f, err := os.OpenFile(p.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return channel.Delivery{}, err
	}
	line, err := json.Marshal(m)
	_, err2 := fmt.Fprintf(f, "%s\n", line)
	err = errors.Join(err, err2, f.Sync(), f.Close())
	if p.after != nil {
		p.after()
	}
	return channel.Delivery{ID: m.ID}, err
}

// came hands a message to the channel.
func (w *world) came(m ...channel.Inbound) {
	w.post.mu.Lock()
	w.post.feed = append(w.post.feed, m...)
	w.post.mu.Unlock()
	select {
	case w.post.more <- struct{}{}:
	default:
	}
}

// sent is what the provider has got.
func (w *world) sent(t testing.TB) (all []channel.Outbound) {
	t.Helper()
	raw, err := os.ReadFile(w.post.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var m channel.Outbound
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// logged is the log, which says before it writes.
type logged struct {
	*receipt.Log
	before func(what string)
}

func (l logged) Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error) {
	l.before("receipt")
	defer l.before("receipted")
	return l.Log.Append(tx, e)
}

// keys keeps passwords in a real vault; a box holds its value.
type keys struct{ w *world }

func (k keys) Unseal(_ context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	if nonce != "nonce of "+name {
		return secret.Value{}, &wire.RPCError{Code: "conflict", Text: "This page is too old."}
	}
	return secret.New(string(box)), nil
}

func (k keys) Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(*sql.Tx) error) error {
	_, err := k.w.vault.Put(ctx, vault.New{Name: name, Kind: vault.KindPassword, Value: v, Source: vault.FromOwner, By: by.Name}, also)
	return err
}

func (k keys) Key(ctx context.Context, name string) (secret.Value, error) {
	v, err := k.w.vault.Own(ctx, name, "test")
	if errors.Is(err, vault.ErrUnknown) {
		return secret.Value{}, nil
	}
	return v, err
}

func (k keys) Drop(ctx context.Context, name string, by wire.DecidedBy) error {
	if k.w.keepKey {
		return errors.New("the vault is locked")
	}
	if err := k.w.vault.Remove(ctx, name, by.Name, func(*sql.Tx) error { return nil }); !errors.Is(err, vault.ErrUnknown) {
		return err
	}
	return nil
}

// shelf keeps files in a folder, and what was marked.
type shelf struct {
	mu    sync.Mutex
	kept  map[string]string
	marks []string
}

func (s *shelf) Save(_ context.Context, _, id string, files []channel.File) (all []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range files {
		if len(f.Name) > 255 {
			return nil, fmt.Errorf("keep attached files: %w", channel.ErrName)
		}
		all = append(all, id+"/"+f.Name)
		s.kept[id+"/"+f.Name] = string(f.Data)
	}
	return all, nil
}

// Kept gives what was kept and is there still.
func (s *shelf) Kept(context.Context, string) (ids []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.kept {
		id, _, _ := strings.Cut(p, "/")
		ids = append(ids, id)
	}
	return ids, nil
}

// Forget removes the files of a message.
func (s *shelf) Forget(_ context.Context, _, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.kept, func(p, _ string) bool { return strings.HasPrefix(p, id+"/") })
	return nil
}

func (s *shelf) Drop(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range paths {
		delete(s.kept, p)
	}
}

func (s *shelf) Mark(_ *sql.Tx, path string, by policy.Source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks = append(s.marks, path+" "+by.Source)
	return nil
}

// open opens or reopens the channels in dir. before is called at the points at which a process may die.
func open(dir string, p *post, before func(what string)) (w *world, err error) {
	w = &world{dir: dir, post: p, stop: func() error { return nil }}
	with := func(d *gate.Deps) {
		d.Asked = func(tx *sql.Tx, a wire.Approval, from wire.Origin) error { return w.Asked(tx, a, from) }
		d.Replies = func(ctx context.Context, tx *sql.Tx, c gate.Call) (string, error) { return w.Replies(ctx, tx, c) }
		d.Paired = func(ctx context.Context, tx *sql.Tx, id string) (bool, error) { return w.Paired(ctx, tx, id) }
	}
	fake := &gatetest.Fake{Name: "fake", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}}
	if w.World, err = gatetest.OpenWith(dir, w.now, with, fake); err != nil {
		return nil, err
	}
	ctx := context.Background()
	err = w.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS test_runs (id TEXT PRIMARY KEY, start TEXT, answer TEXT)")
		return err
	})
	if err != nil {
		return nil, err
	}
	if w.vault, err = vault.Open(ctx, w.DB, vault.Keys{Dir: filepath.Join(dir, "state")}, w.now); err != nil {
		return nil, err
	}
	w.runs = &runs{w: w, before: before}
	w.shelf = &shelf{kept: map[string]string{}}
	w.Channels, err = channel.New(ctx, channel.Deps{
		DB: w.DB, Receipts: logged{w.Log, before}, Runs: w.runs, Gate: w.Gate, Signed: w.Keys, Keys: keys{w},
		Shelf: w.shelf, Outgoing: filepath.Join(dir, "outgoing"), ReadFile: func(name string, limit int64) ([]byte, error) {
			raw, err := os.ReadFile(filepath.Join(dir, "papers", name))
			return raw[:min(int64(len(raw)), limit+1)], err
		},
		Kinds: map[string]channel.Kind{wire.ChannelEmail: {Address: policy.Address, Secrets: p.secrets, MaySecrets: p.mays, Make: func(
			_ channel.Settings, e channel.Env,
		) (channel.Channel, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.broken {
				return nil, errors.New("settings of an older version")
			}
			p.env = e
			if p.hooked {
				return &doored{p, channel.NewDoor()}, nil
			}
			return p, nil
		}}},
		Wrap: func(source, sender, id, text string) (string, []string) {
			b := ingress.Wrap(source, sender, id, text, 0)
			return b.Text, b.Patterns
		},
		Approvals: w.Gate, Page: func(path string) string { return "https://hub.example" + path },
		HasAgent: func(id string) bool { return id == "secretary" }, Broken: func(string) bool { return false },
		Paused: func(string) *wire.AgentPause { return w.pause.Load() },
		Config: func() wire.Config {
			return wire.Config{DefaultLevel: cmp.Or(int(w.level.Load()), 2), Inside: []string{"member@example.com"}}
		},
		Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	w.Gate.Listen(w.Channels)
	return w, errors.Join(w.Gate.Add(w.Tool()), w.Gate.Recover(ctx))
}

// run keeps the channels running until close.
func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.stop = func() error {
		cancel()
		closing, done2 := context.WithTimeout(context.Background(), 5*time.Second)
		defer done2()
		w.Gate.Close(closing)
		return <-done
	}
}

func (w *world) close() error { return errors.Join(w.stop(), w.Close()) }

func startIn(t testing.TB, dir string, p *post) *world {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := open(dir, p, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func newPost(dir string) *post {
	return &post{path: filepath.Join(dir, "sent"), more: make(chan struct{}, 1), can: channel.Capabilities{Threads: true}}
}

// start is a server whose channel is set up with a policy, and whose owner is paired.
func start(t testing.TB, p wire.ChannelPolicy) *world {
	t.Helper()
	dir := t.TempDir()
	w := startIn(t, dir, newPost(dir))
	if _, err := w.act(putting(p)); err != nil {
		t.Fatal(err)
	}
	w.allow(t, owner, true)
	return w
}

func (w *world) allow(t testing.TB, address string, isOwner bool) {
	t.Helper()
	a := wire.ChannelAct{Do: wire.ChannelDoAllow, Address: address, Owner: isOwner, Version: w.view(t).Version}
	if _, err := w.act(a); err != nil {
		t.Fatal(err)
	}
}

func putting(p wire.ChannelPolicy) wire.ChannelAct {
	a := wire.ChannelAct{Do: wire.ChannelDoPut, Agent: "secretary", Policy: p, Mail: wire.MailSettings{Address: "team@example.com"}}
	if p == wire.ChannelOpen {
		a.Anyone = wire.ChannelAnyone
	}
	return a
}

// ask asks as the link does.
func ask[R any](w *world, m wire.Method, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	got, err := w.Methods().Answer(context.Background(), m, raw)
	if err != nil {
		return r, err
	}
	r, ok := got.(R)
	if !ok {
		return r, fmt.Errorf("%s answers %T", m, got)
	}
	return r, nil
}

// act has the owner sign an act and carries it out.
func (w *world) act(a wire.ChannelAct) (wire.Channel, error) {
	a.ID, a.Channel = uuid.Must(uuid.NewV7()).String(), wire.ChannelEmail
	c := wire.ChannelChange{Act: a, By: wire.DecidedBy{Role: "owner", Name: owner}}
	raw, err := canonical.Of(a)
	if err != nil {
		return wire.Channel{}, err
	}
	var version int64
	err = w.DB.Write(context.Background(), func(tx *sql.Tx) (err error) {
		version, err = config.VersionTx(w.DB, tx)
		return err
	})
	if err != nil {
		return wire.Channel{}, err
	}
	text := wire.ChangeText(gatetest.ServerID, wire.ChangeChannel, canonical.Sum(raw), version, w.now())
	if c.Signature, err = gatetest.Signer().Sign(text, w.now()); err != nil {
		return wire.Channel{}, err
	}
	if a.Do == wire.ChannelDoPut {
		c.Nonce, c.Box = "nonce of channel.email", wire.SecretBox(cmp.Or(w.box, "the password of the mailbox"))
	}
	return ask[wire.Channel](w, wire.MethodChannelChange, c)
}

// unsigned carries out an act that nobody has signed.
func (w *world) unsigned(a wire.ChannelAct) (wire.Channel, error) {
	a.ID, a.Channel = uuid.Must(uuid.NewV7()).String(), wire.ChannelEmail
	return ask[wire.Channel](w, wire.MethodChannelChange, wire.ChannelChange{Act: a, By: wire.DecidedBy{Role: "owner", Name: owner}})
}

func (w *world) view(t testing.TB) wire.Channel {
	t.Helper()
	got, err := ask[wire.ChannelsResult](w, wire.MethodChannelsList, wire.ChannelsParams{})
	if err != nil || len(got.Items) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.Items[0]
}

// until waits for a condition.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come about in 20 s: %s", what)
		}
	}
}

// from is a message of a person; a proven one is theirs for sure.
func from(address, id, text string, proven bool) channel.Inbound {
	return channel.Inbound{
		ID: id, Address: address, Proven: proven, Why: "nothing shows it", Subject: "About " + id, Text: text,
		Reply: channel.Reply{ID: id, Subject: "About " + id},
	}
}
