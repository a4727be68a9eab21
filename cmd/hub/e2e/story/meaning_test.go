package story

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// noteList is a page of notes as a program reads it.
type noteList struct {
	Items []struct {
		ID, Text, Origin string
		Core             bool
	}
	Meaning *struct {
		Model        string
		Known, Notes int
		Since        *time.Time
		Why          string
	}
}

func (p program) notes(q string) (all noteList) {
	p.T.Helper()
	p.Want(http.StatusOK, http.MethodGet, "/memory?q="+url.QueryEscape(q), nil, &all)
	return all
}

// states states a note with the key of the owner.
func (p program) states(text string) {
	p.T.Helper()
	act := wire.MemoryAct{ID: newID(), Do: wire.MemoryDoState, Agent: wire.MemoryShared, Text: text}
	p.Want(http.StatusCreated, http.MethodPost, "/memory", p.acts(wire.ChangeMemory, act), nil)
}

// TestMeaning: notes are found by what they mean once the owner has let a model have their texts, which the page says before; when the
// model refuses, words find them, the page says since when meaning does not, and it goes on by itself. Before the owner's signature,
// and after it was taken back, the model gets nothing.
func TestMeaning(t *testing.T) {
	m := e2e.StartModel(t)
	h, c := e2e.Start(t, m.Env()...)
	page := h.NewPage(t)
	page.SignIn()
	page.EnrolHere()
	p := program{c, h}
	const note, question, word = "Huber owes the invoice.", "outstanding bill", "Huber"
	p.states(note)
	p.states("The key of the cellar hangs behind the door.")
	p.Want(http.StatusForbidden, http.MethodPatch, "/memory/meaning", map[string]any{"model": e2e.Embeddings}, nil)
	if got := p.notes(question); len(got.Items) != 0 || got.Meaning != nil || m.Embedded(note) {
		t.Fatalf("before the owner has signed: %+v, sent %v", got, m.Embedded(note))
	}

	h.AwaitSettings(t)
	page.Open("/app/agents/limits")
	page.See("#notes-model", "leaves your server")
	page.InspectOpen("limits with a model for notes")
	page.Shots("meaning")
	page.Click("#notes-model button[value=" + e2e.Embeddings + "]")
	page.See("#confirm-meaning", "Give the texts of your notes to a model?")
	page.Click("#confirm-meaning button[data-confirmed]")
	page.See("[data-toast]", "asks the model "+e2e.Embeddings)
	e2e.Until(t, "what the notes mean is known", func() bool {
		s := p.notes("").Meaning
		return s != nil && s.Known == s.Notes && s.Notes == 2
	})
	e2e.Until(t, "a note is found by what it means", func() bool {
		got := p.notes(question)
		return len(got.Items) > 0 && got.Items[0].Text == note
	})

	m.RefuseVectors(http.StatusUnauthorized)
	p.notes("a question that nobody has asked yet")
	e2e.Until(t, "it pauses", func() bool {
		s := p.notes("").Meaning
		return s != nil && s.Since != nil && time.Since(*s.Since) < time.Hour && s.Why != ""
	})
	if got := p.notes(word); len(got.Items) == 0 || got.Items[0].Text != note {
		t.Errorf("while it pauses %q finds %+v", word, got.Items)
	}
	page.Open("/app/memory")
	page.See("main", "Search by meaning pauses")
	page.See("main", "did not accept the key")
	page.InspectOpen("memory while search by meaning pauses")
	m.RefuseVectors(0)
	e2e.Until(t, "it goes on", func() bool { s := p.notes("").Meaning; return s != nil && s.Since == nil })

	p.Want(http.StatusOK, http.MethodPatch, "/memory/meaning", map[string]any{"model": ""}, nil)
	h.AwaitSettings(t)
	const late = "The plumber has the spare key."
	p.states(late)
	if got := p.notes(question); len(got.Items) != 0 || got.Meaning != nil || m.Embedded(late) {
		t.Errorf("switched off: %+v, sent %v", got, m.Embedded(late))
	}
}

// TestAPI_memory: a program of the owner states, corrects, puts aside, confirms and deletes notes, each with the owner's signature, and
// without one, or with one for something else, nothing of that happens.
func TestAPI_memory(t *testing.T) {
	h, c, _ := e2e.StartOwned(t)
	p := program{c, h}
	first := wire.MemoryAct{ID: newID(), Do: wire.MemoryDoState, Agent: wire.MemoryShared, Text: "We close at six."}
	p.Want(http.StatusForbidden, http.MethodPost, "/memory", map[string]any{"act": first}, nil)
	signed := p.acts(wire.ChangeMemory, first)
	signed["act"] = wire.MemoryAct{ID: first.ID, Do: first.Do, Agent: first.Agent, Text: "We never close."}
	p.Want(http.StatusForbidden, http.MethodPost, "/memory", signed, nil)
	if got := p.notes(""); len(got.Items) != 0 {
		t.Fatalf("unsigned: %+v", got.Items)
	}
	signed = p.acts(wire.ChangeMemory, first)
	for range 2 { // it happens once
		p.Want(http.StatusCreated, http.MethodPost, "/memory", signed, nil)
	}
	all := p.notes("")
	if len(all.Items) != 1 || !all.Items[0].Core || all.Items[0].Origin != "owner" {
		t.Fatalf("stated: %+v", all.Items)
	}
	path := "/memory/" + all.Items[0].ID
	change := func(do wire.MemoryDo, text, seen string) wire.MemoryAct {
		return wire.MemoryAct{ID: newID(), Do: do, Note: all.Items[0].ID, Text: text, Seen: seen}
	}
	p.Want(http.StatusForbidden, http.MethodDelete, path, nil, nil)
	correct := change(wire.MemoryDoCorrect, "We close at seven.", first.Text)
	p.Want(http.StatusForbidden, http.MethodPatch, path, map[string]any{"act": correct}, nil)
	p.Want(http.StatusOK, http.MethodPatch, path, p.acts(wire.ChangeMemory, correct), nil)
	p.Want(http.StatusConflict, http.MethodPatch, path,
		p.acts(wire.ChangeMemory, change(wire.MemoryDoCorrect, "We close at eight.", first.Text)), nil)

	p.DecideAll(p.Say("secretary", "Remember it. "+e2e.ToolScript(t, "Noted.", e2e.ToolCall{
		Name: "memory_write", Args: `{"text":"The baker delivers rolls at six","kind":"team"}`,
	})), wire.AllowOnce)
	noted := p.notes("baker")
	if len(noted.Items) == 0 || noted.Items[0].Origin != "agent" {
		t.Fatalf("noted: %+v", noted.Items)
	}
	n := noted.Items[0]
	confirm := wire.MemoryAct{ID: newID(), Do: wire.MemoryDoConfirm, Note: n.ID, Seen: n.Text}
	p.Want(http.StatusForbidden, http.MethodPatch, "/memory/"+n.ID, map[string]any{"act": confirm}, nil)
	p.Want(http.StatusOK, http.MethodPatch, "/memory/"+n.ID, p.acts(wire.ChangeMemory, confirm), nil)
	if got := p.notes("baker"); len(got.Items) == 0 || got.Items[0].Origin != "owner" || got.Items[0].Core {
		t.Errorf("confirmed: %+v", got.Items)
	}
	p.Want(http.StatusOK, http.MethodPatch, path, p.acts(wire.ChangeMemory, change(wire.MemoryDoDelete, "", correct.Text)), nil)
	if got := p.notes(""); len(got.Items) != 1 || got.Items[0].ID != n.ID {
		t.Errorf("deleted: %+v", got.Items)
	}
}
