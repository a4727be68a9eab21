package file

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
)

// SignsProps is what a signature is bound to.
type SignsProps struct {
	Server string
	Config int64 // version of the settings
}

// attrs make a form whose act is signed before it is sent.
func (s SignsProps) attrs(act string) templ.Attributes {
	return templ.Attributes{
		"data-change": "file", "data-change-body": act, "data-server": s.Server, "data-version": strconv.FormatInt(s.Config, 10),
		"data-always": true,
	}
}

// ActsProps are what can be done to a file or a folder, each as it is signed; empty: nothing.
type ActsProps struct{ Move, Delete string }

// ChangesProps are what can be taken back.
type ChangesProps struct {
	Rows   []ChangeProps
	Unread bool
}

// ChangeProps is one change that can be taken back.
type ChangeProps struct {
	ID, Path, Did string
	At, Until     time.Time
	By            string // a person's address or an agent's name
	Files         int
	Back          string // the act that takes it back, as it is signed
	Compare       bool   // there is a page that shows what it changed
	Later         bool   // it was changed again since
	Lost          int    // entries that do not come back
}

// says is a change in a few words.
func (c ChangeProps) says(ctx context.Context) string {
	who := c.By
	if who == "" {
		who = i18n.T(ctx, "file.somebody")
	}
	switch {
	case c.Did == "made":
		return i18n.T(ctx, "file.made_by", "who", who)
	case c.Did == "deleted" && c.Files > 1:
		return i18n.T(ctx, "file.deleted_many_by", "who", who, "n", c.Files)
	case c.Did == "deleted":
		return i18n.T(ctx, "file.deleted_by", "who", who)
	}
	return i18n.T(ctx, "file.changed_by", "who", who)
}

// confirm makes a form ask once more when it would undo later changes too.
func (c ChangeProps) confirm() templ.Attributes {
	if !c.Later {
		return nil
	}
	return templ.Attributes{"id": "back-" + c.ID, "data-confirm": c.sure()}
}

// sure is the id of the question.
func (c ChangeProps) sure() string { return "back-sure-" + c.ID }

// words are those that the script says while it uploads.
func words(ctx context.Context) string {
	all, err := json.Marshal(map[string]string{
		"reading": i18n.T(ctx, "file.reading"), "sending": i18n.T(ctx, "file.sending"), "done": i18n.T(ctx, "file.uploaded"),
		"replace":       i18n.T(ctx, "file.replace", "name", "{name}"),
		"replaceUnkept": i18n.T(ctx, "file.replace_unkept", "name", "{name}"), "doneUnkept": i18n.T(ctx, "file.uploaded_unkept"),
		"remove": i18n.T(ctx, "file.removed.remove"), "removeThis": i18n.T(ctx, "file.removed.remove_this", "name", "{name}"),
		"cut":     i18n.T(ctx, "file.removed.cut", "name", "{name}"),
		"skipped": i18n.T(ctx, "file.skipped"),
		"again":   i18n.T(ctx, "file.again"),
		"large":   i18n.T(ctx, "file.large"),
	})
	if err != nil {
		panic("words of the catalogue: " + err.Error())
	}
	return string(all)
}
