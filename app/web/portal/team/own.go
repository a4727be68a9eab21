package team

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/pmezard/go-difflib/difflib"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/markdown"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/team"
)

// aboutForm reads a description from its form. Tools of the chosen profile that are not ticked are left out, and so are those that
// were left out before and that the server does not have.
func aboutForm(c echo.Context, profiles []wire.TeamProfile, was []string) (wire.TeamAbout, error) {
	form, err := c.FormParams()
	if err != nil {
		return wire.TeamAbout{}, errAct
	}
	a := wire.TeamAbout{
		Name: strings.TrimSpace(form.Get("name")), Role: strings.TrimSpace(form.Get("role")), Emoji: strings.TrimSpace(form.Get("emoji")),
		Description: strings.TrimSpace(form.Get("description")), Profile: form.Get("profile"), Starters: []string{}, Without: []string{},
	}
	for line := range strings.Lines(form.Get("starters")) {
		if line = strings.TrimSpace(line); line != "" {
			a.Starters = append(a.Starters, line)
		}
	}
	var here []string
	for _, p := range profiles {
		here = append(here, p.Tools...)
		for _, tool := range p.Tools {
			if p.Name == a.Profile && !slices.Contains(form["tools"], tool) {
				a.Without = append(a.Without, tool)
			}
		}
	}
	for _, tool := range was {
		if !slices.Contains(here, tool) {
			a.Without = append(a.Without, tool)
		}
	}
	slices.Sort(a.Without)
	return a, nil
}

func shownAbout(a wire.TeamAbout, profiles []wire.TeamProfile) views.AboutProps {
	out := views.AboutProps{
		Name: a.Name, Role: a.Role, Emoji: a.Emoji, Description: a.Description, Starters: strings.Join(a.Starters, "\n"),
		Profile: a.Profile, Without: a.Without,
	}
	for _, p := range profiles {
		out.Profiles = append(out.Profiles, views.Profile{Name: p.Name, Tools: p.Tools})
	}
	return out
}

// reviewOf is what an act would change in a text.
func reviewOf(file, was, now string, a wire.TeamAct) (*views.Review, error) {
	was, now = whole(was), whole(now)
	if was == now {
		return &views.Review{Same: true}, nil
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: slices.Collect(strings.Lines(was)), B: slices.Collect(strings.Lines(now)), FromFile: file, ToFile: file, Context: 3,
	})
	return &views.Review{Diff: ui.Unified(file, text), Act: act(a)}, err
}

// whole is a text as the server keeps it.
func whole(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" {
		return ""
	}
	return text + "\n"
}

// editing is what the editor of a file shows.
type editing struct {
	member   wire.TeamMember
	profiles []wire.TeamProfile
	history  wire.TeamHistory
	file     string
	version  int64
}

// edit answers GET /app/agents/:agent/edit: one file in the editor, perhaps with the text of an earlier version.
func (p *Pages) edit(c echo.Context) error {
	version, _ := strconv.ParseInt(c.QueryParam("version"), 10, 64) // anything else is none
	return p.showEdit(c, version, func(ctx context.Context, e editing, props *views.EditProps) error {
		text, about := e.text(), e.member.About
		if version != 0 {
			text, about = e.history.Text, e.history.About
		}
		if about != nil {
			return e.fill(ctx, props, text, *about, version != 0)
		}
		return e.fill(ctx, props, text, wire.TeamAbout{Starters: []string{}, Without: []string{}}, version != 0)
	})
}

// review answers POST /app/agents/:agent/edit: what was typed, with what it would change.
func (p *Pages) review(c echo.Context) error {
	return p.showEdit(c, 0, func(ctx context.Context, e editing, props *views.EditProps) error {
		var was []string
		if e.member.About != nil {
			was = e.member.About.Without
		}
		about, err := aboutForm(c, e.profiles, was)
		if err != nil {
			return err
		}
		return e.fill(ctx, props, c.FormValue("text"), about, true)
	})
}

func (e editing) text() string {
	for _, f := range e.member.Files {
		if f.Name == e.file {
			return f.Text
		}
	}
	return ""
}

// fill puts into the editor what stands in it, and what saving that would change.
func (e editing) fill(ctx context.Context, props *views.EditProps, text string, about wire.TeamAbout, compare bool) (err error) {
	a := wire.TeamAct{Do: wire.TeamDoWrite, Agent: e.member.ID, Seen: e.member.Seen, File: e.file}
	was, now := e.text(), text
	if e.file == wire.TeamDescriptor {
		shown := shownAbout(about, e.profiles)
		props.About, a.About = &shown, &about
		now, was = shown.Lines(ctx), ""
		if e.member.About != nil {
			was = shownAbout(*e.member.About, e.profiles).Lines(ctx)
		}
	} else {
		props.Text, a.Text = whole(text), whole(text)
	}
	if !compare {
		return nil
	}
	props.Review, err = reviewOf(e.file, was, now, a)
	if err == nil && props.About == nil && !props.Review.Same {
		props.Review.HTML = markdown.Document(a.Text)
	}
	return err
}

// showEdit reads what the editor needs, and draws it.
func (p *Pages) showEdit(c echo.Context, version int64, fill func(context.Context, editing, *views.EditProps) error) error {
	ctx, cancel := frame.Asking(web.Context(c))
	defer cancel()
	id := c.Param("agent")
	props := views.EditProps{Agent: p.Agents.Agent(ctx, frame.Customer(c), id), File: c.QueryParam("file"), Shown: version}
	e, err := p.editing(ctx, c, id, props.File, version)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	if !props.Away {
		if err := fill(ctx, e, &props); err != nil {
			return err
		}
		for _, v := range e.history.Items {
			props.Versions = append(props.Versions, views.Version{
				Number: v.Version, At: v.At, By: v.By, Now: v.Now, Shown: v.Version == version,
			})
		}
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(ctx, "team.edit_of", "file", props.File), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.EditPage(outer, props))
}

func (p *Pages) editing(ctx context.Context, c echo.Context, id, file string, version int64) (e editing, err error) {
	of := frame.Customer(c)
	e.file, e.version = file, version
	if e.history, err = p.Crew.History(ctx, of, wire.TeamHistoryParams{Agent: id, File: file, Version: version}); err != nil {
		return e, err
	}
	if e.member, err = p.Crew.Member(ctx, of, id); err != nil {
		return e, err
	}
	if file == wire.TeamDescriptor {
		var lib wire.TeamLibrary
		lib, err = p.Crew.Library(ctx, of)
		e.profiles = lib.Profiles
	}
	return e, err
}

// newAgent answers GET /app/agents/new: a description to fill in, that of another agent when it is to be a copy.
func (p *Pages) newAgent(c echo.Context) error {
	return p.showNew(c, c.QueryParam("from"), func(_ context.Context, e editing, props *views.NewProps) error {
		about := wire.TeamAbout{Profile: "messaging"}
		if e.member.About != nil {
			about = *e.member.About
			about.Name = ""
		}
		props.About = shownAbout(about, e.profiles)
		return nil
	})
}

// reviewNew answers POST /app/agents/new: what was typed, with what will be made of it.
func (p *Pages) reviewNew(c echo.Context) error {
	return p.showNew(c, c.FormValue("from"), func(ctx context.Context, e editing, props *views.NewProps) error {
		about, err := aboutForm(c, e.profiles, nil)
		if err != nil {
			return err
		}
		if props.ID = strings.TrimSpace(c.FormValue("id")); props.ID == "" {
			props.ID = team.IDOf(about.Name)
		}
		props.About = shownAbout(about, e.profiles)
		props.Review, err = reviewOf(props.ID, "", props.About.Lines(ctx), wire.TeamAct{
			Do: wire.TeamDoCreate, Agent: props.ID, From: props.From.ID, Seen: e.member.Seen, About: &about,
		})
		return err
	})
}

// showNew reads what the page of a new agent needs, and draws it.
func (p *Pages) showNew(c echo.Context, from string, fill func(context.Context, editing, *views.NewProps) error) error {
	ctx, cancel := frame.Asking(web.Context(c))
	defer cancel()
	of := frame.Customer(c)
	var props views.NewProps
	var e editing
	lib, err := p.Crew.Library(ctx, of)
	if e.profiles = lib.Profiles; err == nil && from != "" {
		props.From = p.Agents.Agent(ctx, of, from)
		e.member, err = p.Crew.Member(ctx, of, from)
	}
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if props.Signs, err = p.signs(c); err != nil {
		return err
	}
	if !props.Away {
		if got, err := p.Chat.Agents(ctx, of); err == nil { // else nobody can be copied for now
			p.Agents.Learn(of, got)
		}
		props.Others = p.Agents.All(ctx, of)
		if err := fill(ctx, e, &props); err != nil {
			return err
		}
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(ctx, "team.new"), Away: props.Away})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.NewPage(outer, props))
}
