package channel_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// TestStranger_erased: what is kept of a stranger is gone from every table and from the disk, and only what the log has to keep stays. A
// repeat of their message by the provider begins nothing.
func TestStranger_erased(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	m := from(stranger, "<1@x>", "My door code is tulip", true)
	m.Name, m.Files = "Sam Example", []channel.File{{Name: "1-photo.jpg", Data: []byte("x")}}
	w.write(t, m, "Noted, tulip.")
	w.sentTo(t, 1)
	w.write(t, from("other@elsewhere.example", "<2@x>", "I stay", true), "You do.")
	w.sentTo(t, 2)
	w.came(from(stranger, "<3@x>", "/delete", true))
	if m := w.sentTo(t, 3); !strings.HasPrefix(m.Text, "What you wrote here, your files") {
		t.Errorf("%+v", m)
	}
	until(t, "it is deleted", func() bool { return w.view(t).Wrote.Erased == 1 })
	if left := w.mentions(t, stranger, "tulip", "Sam Example"); len(left) != 0 {
		t.Errorf("it stands in %v", left)
	}
	w.shelf.mu.Lock()
	files := len(w.shelf.kept)
	w.shelf.mu.Unlock()
	if all := w.known(t); files != 0 || len(all) != 1 || all[0].Address != "other@elsewhere.example" || len(w.all(t)) != 1 {
		t.Errorf("%d files, %+v, %d runs", files, all, len(w.all(t)))
	}
	if again := from(stranger, "<1@x>", "My door code is tulip", true); true {
		w.came(again, from("other@elsewhere.example", "<4@x>", "The last", true))
	}
	until(t, "the last", func() bool { return len(w.all(t)) == 2 })
	if left := w.mentions(t, "tulip"); len(left) != 0 {
		t.Errorf("it came again, into %v", left)
	}
}

// mentions are the tables beside the log that hold one of these texts.
func (w *world) mentions(t testing.TB, texts ...string) (in []string) {
	t.Helper()
	names, err := w.columnOf("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'receipts'")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		cols, err := w.columnOf("SELECT name FROM pragma_table_info('" + name + "')")
		if err != nil {
			t.Fatal(err)
		}
		for _, col := range cols {
			for _, text := range texts {
				found, err := w.columnOf(`SELECT 1 FROM "`+name+`" WHERE instr(CAST("`+col+`" AS TEXT), ?) > 0 LIMIT 1`, text)
				if err != nil {
					t.Fatal(err)
				}
				if len(found) > 0 {
					in = append(in, name+"."+col+" ("+text+")")
				}
			}
		}
	}
	return in
}

func (w *world) columnOf(query string, args ...any) (all []string, err error) {
	rows, err := w.DB.Read().QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// TestStranger_erasedByOther: nobody has another's data deleted by writing under their name; a person is told instead.
func TestStranger_erasedByOther(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.write(t, from(stranger, "<1@x>", "Hello, are you there?", true), "Yes.")
	w.sentTo(t, 1)
	w.came(from(stranger, "<2@x>", "/delete", false))
	if m := w.sentTo(t, 2); !strings.HasPrefix(m.Text, "It is not certain that this message is from you") {
		t.Errorf("%+v", m)
	}
	if all := w.known(t); len(all) != 1 || all[0].State != wire.StrangerPerson || len(w.all(t)) != 1 {
		t.Errorf("%+v", all)
	}
}

// TestStranger_ownersActs: the owner blocks and deletes; only the latter is signed for, since nobody brings back what it destroys.
func TestStranger_ownersActs(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.write(t, from(stranger, "<1@x>", "Hello, are you there?", true), "Yes.")
	w.sentTo(t, 1)
	who := w.known(t)[0]
	if _, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoBlock, Person: who.ID}); err != nil {
		t.Fatal(err)
	}
	w.came(from(stranger, "<2@x>", "Hello again", true))
	until(t, "it is refused", func() bool { return w.view(t).Counts.Refused == 1 })
	if s := w.known(t)[0].State; s != wire.StrangerBlocked {
		t.Errorf("%s", s)
	}
	erase := wire.ChannelAct{Do: wire.ChannelDoErase, Person: who.ID, Version: w.view(t).Version}
	if _, err := w.unsigned(erase); errCode(err) != "signature_required" {
		t.Errorf("without a signature: %v", err)
	}
	if _, err := w.act(erase); err != nil {
		t.Fatal(err)
	}
	until(t, "it is deleted", func() bool { return len(w.known(t)) == 0 })
	if p := w.view(t).People; !slices.ContainsFunc(p, func(p wire.ChannelPerson) bool { return p.State == wire.PersonBlocked }) {
		t.Error("they are blocked no more")
	}
}
