package portal

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/turn"
	"gatehouse/app/web/session"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/chat"
)

const (
	// newTurns is how many turns of a conversation are looked through at a time for ones that the page does not show yet.
	newTurns = 5
	// newLooks is how often: a page that was away for long gets what it missed, and one that was away for ever is no archive.
	newLooks = 20
)

// chatTopic is one conversation: every run of it that is open, or begins, is followed to its end.
type chatTopic struct {
	p       *Portal
	f       *feed
	of      account.CustomerID
	email   string // of the reader
	session string
	agent   string
	at      place
	turns   map[string]*followed
	order   []string // of the turns to be added to the page, as the server has them
	stop    string   // the run that the page offers to stop
	behind  bool     // there may be turns that the page does not show
	sent    bool     // a turn came: the answer to the reader's message may offer that one to stop
	again   bool     // start was called before
	early   bool     // the server was away before it had repeated what the page shows
	lost    bool     // the page stands for a conversation that could not be looked for: it leads there now
}

// followed is a turn that the page shows or is about to.
type followed struct {
	turn    *turn.Turn
	asked   *wire.Turn      // what the person wrote, for a page that does not show it yet
	told    map[string]bool // questions of it that the hub was asked about
	running bool            // a follower reads its events
}

func (p *Portal) newChatTopic(c echo.Context, of account.CustomerID, lastID string) topic {
	t := &chatTopic{
		p: p, of: of, email: session.Of(c).Email, session: c.QueryParam("session"), agent: c.QueryParam("agent"),
		at: readPlace(cmp.Or(lastID, c.QueryParam("at"))), turns: map[string]*followed{},
	}
	if uuid.Validate(t.session) != nil {
		return still{}
	}
	return t
}

// start follows what was open when the page was made; the next flush looks for what began since.
func (t *chatTopic) start(f *feed) {
	t.lost = t.again && t.at.newest == ""
	t.f, t.again, t.behind = f, true, true
	for run, n := range t.at.runs {
		if t.turns[run] == nil {
			t.add(run, n, nil)
			t.stop = max(t.stop, run)
		}
	}
}

// discover adds turns of the conversation that the page does not show yet: those that the server has behind the newest
// that it does. Their ids tell nothing, for a message may overtake one that was sent sooner.
func (t *chatTopic) discover(ctx context.Context) error {
	if !t.behind {
		return nil
	}
	before, fresh := "", []wire.Turn{}
	for range newLooks {
		got, err := t.p.Chat.Session(ctx, t.of, wire.SessionParams{SessionID: t.session, Before: before, Limit: newTurns})
		if err != nil {
			if isAway(err) || fault.Of(err).Kind == fault.NotFound {
				t.behind = false
				return nil // the first message is still to come, or the page is told when the server is back
			}
			return err
		}
		shown := slices.IndexFunc(got.Turns, func(asked wire.Turn) bool { return asked.Run.ID == t.at.newest })
		fresh = slices.Concat(got.Turns[shown+1:], fresh)
		if shown >= 0 || !got.More || len(got.Turns) == 0 {
			break
		}
		before = got.Turns[0].Run.ID
	}
	for _, asked := range fresh {
		if run := asked.Run.ID; t.turns[run] == nil {
			t.add(run, 0, &asked)
			t.order = append(t.order, run)
		}
	}
	t.behind = false
	return nil
}

// add begins to follow a turn. asked is nil for one that the page shows; n is then the last event that it shows.
func (t *chatTopic) add(run string, n int64, asked *wire.Turn) {
	agent := t.agent
	if asked != nil {
		agent = asked.Run.Agent
	}
	fl := &followed{turn: turn.New(run, agent, askedAt(run), n).In(t.session), asked: asked, told: map[string]bool{}, running: true}
	t.turns[run] = fl
	go t.f.follow(run)
}

// askedAt reads the time from a run's id, which the hub made when the message was sent.
func askedAt(run string) time.Time {
	id, err := uuid.Parse(run)
	if err != nil || id.Version() != 7 {
		return time.Time{}
	}
	sec, nsec := id.Time().UnixTime()
	return time.Unix(sec, nsec).UTC()
}

// follow reads the events of a run until its end and hands them to the feed.
func (f *feed) follow(run string) {
	send := func(ev runEvent) bool {
		select {
		case f.events <- ev:
			return true
		case <-f.ctx.Done():
			return false
		}
	}
	st, err := f.p.Chat.Events(f.ctx, f.of, run, 0)
	if err == nil {
		for ev := range st.C {
			if !send(runEvent{run: run, ev: ev}) {
				return
			}
		}
		if err = st.Err(); err == nil {
			err = f.proof(run, send)
		}
	}
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		f.trouble("run not followed", err)
	}
	send(runEvent{run: run})
}

// proof brings the receipts of a run that has ended, and whether their chain holds.
func (f *feed) proof(run string, send func(runEvent) bool) error {
	log, err := f.p.Chat.Receipts(f.ctx, f.of, run)
	if err == nil {
		send(runEvent{run: run, log: &log})
	}
	return err
}

// event takes in an event of a followed run; one without a name says that its follower has ended.
func (t *chatTopic) event(e runEvent) {
	fl := t.turns[e.run]
	switch {
	case fl == nil:
	case e.log != nil:
		fl.turn.Prove(*e.log)
	case e.ev.Root == "":
		fl.running = false
	default:
		fl.turn.Take(e.ev)
		t.early = t.early || e.ev.Event == wire.EventQueued && !fl.turn.Current()
	}
}

func (t *chatTopic) notice(ctx context.Context, n relay.Notice) bool {
	switch n.Kind {
	case relay.KindRun:
		return t.begun(n)
	case relay.KindApproval:
		return t.told(ctx, n.ID)
	}
	return false
}

// begun looks at the conversation again when a run of it shows up that the page does not know, or whose follower has
// given up.
func (t *chatTopic) begun(n relay.Notice) bool {
	if n.Run == nil || n.Run.Session != t.session {
		return false
	}
	fl := t.turns[n.Run.Root]
	switch {
	case fl == nil:
		t.behind = true
	case fl != nil && !fl.running && fl.turn.Open():
		fl.running = true
		go t.f.follow(n.Run.Root)
	}
	return t.behind // else the follower brings the event
}

// told takes over what the hub knows of an approval: a decision shows before the server has applied it.
func (t *chatTopic) told(ctx context.Context, id string) bool {
	it, err := t.p.Inbox.Get(ctx, t.of, id)
	if err != nil || it.SessionID != t.session || t.turns[it.RootRunID] == nil {
		return false
	}
	t.turns[it.RootRunID].turn.Told(it.Approval)
	return true
}

// tell adds to what turns ask how it was answered while nobody told this page: once for each question, for what comes
// later is noticed. Of a page whose server is away no questions are known; then it tells what was decided last.
func (t *chatTopic) tell(ctx context.Context) error {
	for _, fl := range t.turns {
		if fl.turn.Current() {
			if err := t.tellOf(ctx, fl); err != nil {
				return err
			}
		}
	}
	if !t.early {
		return nil
	}
	got, err := t.p.Inbox.List(ctx, t.of, approval.Query{Status: "decided", Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return err
	}
	t.early = false
	for _, it := range got.Items {
		if fl := t.turns[it.RootRunID]; fl != nil && !fl.turn.Current() {
			fl.turn.Told(it.Approval)
		}
	}
	return nil
}

func (t *chatTopic) tellOf(ctx context.Context, fl *followed) error {
	for _, id := range fl.turn.Waiting() {
		if fl.told[id] {
			continue
		}
		it, err := t.p.Inbox.Get(ctx, t.of, id)
		if err != nil && fault.Of(err).Kind != fault.NotFound {
			return err
		}
		fl.told[id] = true
		if err == nil && (it.State != wire.ApprovalPending || it.Refused != "") { // refused: an answer that the page may show was none
			fl.turn.Told(it.Approval)
		}
	}
	return nil
}

func (t *chatTopic) flush(ctx context.Context) ([]templ.Component, error) {
	err := errors.Join(t.discover(ctx), t.tell(ctx))
	var out []templ.Component
	if t.lost && len(t.turns) == 0 {
		out = append(out, views.PushFound())
	}
	t.lost = false
	names := func(agent string) ui.Agent { return t.p.names.agent(t.of, agent) }
	for _, run := range t.order {
		out = append(out, t.insert(ctx, t.turns[run], names))
	}
	t.order = nil
	for _, run := range slices.Sorted(maps.Keys(t.turns)) {
		for _, patch := range t.turns[run].turn.Flush(ctx, names) {
			out = append(out, patch.Component())
		}
	}
	out = append(out, t.flushComposer(ctx)...)
	t.forget()
	return out, err
}

// flushComposer shows Stop while a run is open, and says when one has ended.
func (t *chatTopic) flushComposer(ctx context.Context) []templ.Component {
	open := t.openRun()
	if open == t.stop && !t.sent {
		return nil
	}
	out := []templ.Component{ui.PushComposer(composer(ctx, t.session, t.agent, open))}
	if fl := t.turns[t.stop]; fl != nil && open != t.stop {
		out = append(out, ui.Say(ended(ctx, fl.turn.State())))
	}
	t.stop, t.sent = open, false
	return out
}

// insert puts a turn at the end of the conversation, unless the answer to the reader's own message has put it there.
// Either way all of the answer is sent after it.
func (t *chatTopic) insert(ctx context.Context, fl *followed, names turn.Names) templ.Component {
	fl.turn.Whole()
	t.sent = true
	t.at.newest = fl.turn.Root()
	return views.PushTurn(personTurn(ctx, *fl.asked, t.email), fl.turn.Look(ctx, names))
}

// forget lets go of turns that have ended and are all on the page.
func (t *chatTopic) forget() {
	before := t.at.runs
	t.at.runs = map[string]int64{}
	for run, fl := range t.turns {
		if !fl.turn.Current() {
			t.at.runs[run] = before[run] // the page still shows what it did
		} else if fl.turn.Open() {
			t.at.runs[run] = fl.turn.Last()
		} else if !fl.running {
			delete(t.turns, run)
		}
	}
}

// openRun is the newest run that can be stopped, "" when there is none.
func (t *chatTopic) openRun() string {
	open := ""
	for run, fl := range t.turns {
		if fl.turn.Open() {
			open = max(open, run)
		}
	}
	return open
}

func (t *chatTopic) mark() string { return t.at.String() }
