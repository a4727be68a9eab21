package telegram

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
)

// read makes a message of an update. One that is nothing to answer moves the cursor alone.
func (b *Bot) read(api *client, me models.User, u update) (m channel.Inbound) {
	defer func() {
		if fault := recover(); fault != nil { // it is what anybody sends, and must not hold up others
			b.env.Log.Error("update not read", "channel", b.Name(), "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			m = channel.Inbound{}
		}
	}()
	switch {
	case u.unreadable:
		b.env.Log.Warn("update not read", "channel", b.Name(), "update", u.ID)
	case u.CallbackQuery != nil:
		return b.press(u.CallbackQuery)
	case u.EditedMessage != nil:
		m = b.written(me, u.EditedMessage)
		if m.ID != "" {
			m.ID, m.Edited = m.ID+"/"+strconv.Itoa(u.EditedMessage.EditDate), true
		}
	case u.Message != nil:
		m = b.written(me, u.Message)
		if m.ID != "" && m.Skip == "" {
			b.attach(api, &m, u.Message)
		}
	}
	return m
}

// place names a message: their numbers count within a chat.
func place(chat int64, message int) string { return fmt.Sprintf("%d/%d", chat, message) }

func number(n int64) string { return strconv.FormatInt(n, 10) }

func nameOf(u models.User) string {
	name := strings.TrimSpace(u.FirstName + " " + u.LastName)
	if u.Username != "" {
		name = strings.TrimSpace(name + " @" + u.Username)
	}
	return name
}

// press reads which button somebody pressed.
func (b *Bot) press(q *models.CallbackQuery) channel.Inbound {
	m := channel.Inbound{
		ID: "press/" + q.ID, Time: b.env.Now(), Address: number(q.From.ID), Name: nameOf(q.From), Proven: true,
		Press: &channel.Press{Data: q.Data},
	}
	switch on := q.Message; {
	case on.Message != nil:
		m.Press.On, m.Group = place(on.Message.Chat.ID, on.Message.ID), groupOf(on.Message.Chat)
	case on.InaccessibleMessage != nil:
		m.Press.On, m.Group = place(on.InaccessibleMessage.Chat.ID, on.InaccessibleMessage.MessageID), groupOf(on.InaccessibleMessage.Chat)
	}
	if q.From.IsBot {
		m.Skip = errMachine
	}
	return m
}

func groupOf(c models.Chat) string {
	if c.Type == models.ChatTypePrivate {
		return ""
	}
	return number(c.ID)
}

// errMachine is why nobody answers what was not written by a person.
const errMachine = "It was not written by a person."

// written reads what somebody wrote. What stands in a group and is not addressed to the bot is nothing.
func (b *Bot) written(me models.User, w *models.Message) (m channel.Inbound) {
	text, marks := w.Text, w.Entities
	if text == "" {
		text, marks = w.Caption, w.CaptionEntities
	}
	group := groupOf(w.Chat)
	if text == "" && !hasContent(w) || group != "" && !addressed(me, w, text, marks) {
		return m
	}
	m = channel.Inbound{
		ID: place(w.Chat.ID, w.ID), Time: time.Unix(int64(w.Date), 0).UTC(), Group: group, Proven: true,
		Text: strings.ToValidUTF8(text, "\uFFFD"), Reply: channel.Reply{ID: place(w.Chat.ID, w.ID)},
	}
	if w.From == nil || w.From.IsBot || w.SenderChat != nil { // also who writes in the name of a group
		m.Skip = errMachine
		return m
	}
	m.Address, m.Name = number(w.From.ID), nameOf(*w.From)
	if group != "" {
		m.Reply.To = group
		m.Text = strings.TrimSpace(cutName(m.Text, me.Username))
	}
	if w.ForwardOrigin != nil || w.ViaBot != nil { // the words are somebody else's
		m.Forward, m.Quoted, m.Text = true, m.Text, ""
	}
	m.Quoted = strings.TrimSpace(m.Quoted + "\n\n" + quoted(me, w))
	return m
}

// hasContent says whether a message without a text has something that people send; else it says that somebody joined, and the like.
func hasContent(w *models.Message) bool {
	return len(attachments(w)) > 0 || w.Contact != nil || w.Location != nil || w.Poll != nil
}

// quoted is what a message answers, unless the bot wrote that: its conversation has it.
func quoted(me models.User, w *models.Message) string {
	switch to := w.ReplyToMessage; {
	case to != nil && to.From != nil && to.From.ID == me.ID:
		return ""
	case w.Quote != nil:
		return w.Quote.Text
	case to != nil && to.Text != "":
		return to.Text
	case to != nil:
		return to.Caption
	}
	return ""
}

// addressed says whether something in a group is meant for the bot: it names the bot, or answers it.
func addressed(me models.User, w *models.Message, text string, marks []models.MessageEntity) bool {
	if to := w.ReplyToMessage; to != nil && to.From != nil && to.From.ID == me.ID {
		return true
	}
	units := utf16.Encode([]rune(text))
	return slices.ContainsFunc(marks, func(e models.MessageEntity) bool {
		if e.Type == models.MessageEntityTypeTextMention {
			return e.User != nil && e.User.ID == me.ID
		}
		if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > len(units) || me.Username == "" {
			return false
		}
		named := string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		switch e.Type {
		case models.MessageEntityTypeMention:
			return strings.EqualFold(named, "@"+me.Username)
		case models.MessageEntityTypeBotCommand:
			_, of, _ := strings.Cut(named, "@")
			return strings.EqualFold(of, me.Username)
		}
		return false
	})
}

// cutName takes the name of the bot off the beginning of a text, or off a command.
func cutName(text, name string) string {
	words := strings.SplitN(text, " ", 2)
	command, of, _ := strings.Cut(words[0], "@")
	if name == "" || !strings.EqualFold(of, name) {
		return text
	}
	words[0] = command
	return strings.Join(words, " ")
}
