package chat

import (
	"cmp"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/chat"
)

// rename answers POST /app/chat/:session/rename. A name that does not fit stays in its field, with what is wrong with it.
func (p *Pages) rename(c echo.Context) error {
	id := c.Param("session")
	if uuid.Validate(id) != nil {
		return errNoConversation
	}
	info, err := p.Chat.Rename(c.Request().Context(), frame.Customer(c), id, c.FormValue("title"))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		t := conversation{session: id, agent: chat.Dispatcher, status: http.StatusUnprocessableEntity}
		t.name = &views.NameProps{Title: c.FormValue("title"), Error: cmp.Or(f.Fields["title"], f.Public)}
		return p.showConversation(c, t)
	}
	if err != nil {
		return err
	}
	text := i18n.T(web.Context(c), "portal.talk.renamed", "title", info.Title)
	if was := c.FormValue("was"); was != "" && was != info.Title {
		web.FlashUndo(c, text, web.Undo{Path: views.RenamePath(id), Fields: map[string]string{"title": was}})
	} else {
		web.Flash(c, "ok", text)
	}
	return frame.GoTo(c, portal.ChatPath(id))
}

// archive answers POST /app/chat/:session/archive: takes a conversation out of the list, or puts it back.
func (p *Pages) archive(c echo.Context) error {
	id, archived := c.Param("session"), c.FormValue("archived") == "1"
	if uuid.Validate(id) != nil {
		return errNoConversation
	}
	info, err := p.Chat.Archive(c.Request().Context(), frame.Customer(c), id, archived)
	if err != nil {
		return err
	}
	key, back := i18n.Key("portal.talk.archived"), "0"
	if !archived {
		key, back = "portal.talk.unarchived", "1"
	}
	title := cmp.Or(info.Title, i18n.T(web.Context(c), "portal.talks.untitled"))
	undo := web.Undo{Path: views.ArchivePath(id), Fields: map[string]string{"archived": back}}
	web.FlashUndo(c, i18n.T(web.Context(c), key, "title", title), undo)
	return frame.GoTo(c, portal.Conversations)
}
