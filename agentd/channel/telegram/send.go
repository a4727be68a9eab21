package telegram

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
)

const fetchWithin = 2 * time.Minute

// sendWithin is how long Telegram may take to say that it has a message.
var sendWithin = 30 * time.Second

// fileWithin is the same for a file.
var fileWithin = 4 * time.Minute

func typing(to string) *bot.SendChatActionParams {
	return &bot.SendChatActionParams{ChatID: to, Action: models.ChatActionTyping}
}

// Send implements channel.Channel. Telegram knows no repeat, so a message of which no answer came is not sent again.
func (b *Bot) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	api, err := b.open(ctx)
	if err != nil {
		return channel.Delivery{}, tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if wait := b.quiet.For(b.env.Now()); wait > 0 {
		return channel.Delivery{}, &channel.Later{Text: "Telegram asks to wait.", After: wait}
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	parts := channel.Split(o.Text, maxText)
	if o.Edit != "" {
		return b.replace(ctx, api, o, parts[len(parts)-1])
	}
	var last *models.Message
	for i := range len(parts) + len(o.Files) {
		if last, err = b.part(ctx, api, o, parts, i); err != nil {
			return channel.Delivery{}, err
		}
	}
	return channel.Delivery{ID: place(last.Chat.ID, last.ID)}, nil
}

// part sends one of the messages that an answer has become: those of its text, then one for each file. Once the first is out, the outcome
// of the whole is open: what Telegram does not take at once is waited for, and what it refuses leaves a part of an answer.
func (b *Bot) part(ctx context.Context, api *client, o channel.Outbound, parts []string, i int) (*models.Message, error) {
	put, limit := text(api, o, parts, i), sendWithin
	if i >= len(parts) {
		put, limit = document(api, o, o.Files[i-len(parts)]), fileWithin
	}
	return channel.SendPart(ctx, channel.Part[*models.Message]{
		N: i, Of: len(parts) + len(o.Files),
		Post:    func() (*models.Message, error) { return within(ctx, limit, put) },
		Refused: func(err error) error { return b.quiet.Noted(refusedFor(ctx, err), b.env.Now()) },
		Trouble: func(err error) *channel.Trouble { return troubleOf(ctx, err) },
	})
}

// text is what sends the i-th message of a text.
func text(api *client, o channel.Outbound, parts []string, i int) func(context.Context) (*models.Message, error) {
	if i >= len(parts) {
		return nil
	}
	m := &bot.SendMessageParams{ChatID: o.To, Text: parts[i], LinkPreviewOptions: noPreview}
	if i == 0 && strings.HasPrefix(o.To, "-") {
		m.ReplyParameters = below(o)
	}
	if board := keyboard(o.Buttons); board != nil && i == len(parts)-1 {
		m.ReplyMarkup = board
	}
	return func(ctx context.Context) (*models.Message, error) { return api.SendMessage(ctx, m) }
}

// document is what sends a file, as it is: Telegram makes nothing else of it.
func document(api *client, o channel.Outbound, f channel.File) func(context.Context) (*models.Message, error) {
	return func(ctx context.Context) (*models.Message, error) {
		return api.SendDocument(ctx, &bot.SendDocumentParams{
			ChatID: o.To, Document: &models.InputFileUpload{Filename: f.Name, Data: bytes.NewReader(f.Data)},
			DisableContentTypeDetection: true,
		})
	}
}

func within[R any](ctx context.Context, limit time.Duration, do func(ctx context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// replace puts a text in the place of a message. One that says so already is what it should be.
func (b *Bot) replace(ctx context.Context, api *client, o channel.Outbound, text string) (channel.Delivery, error) {
	chat, id, _ := strings.Cut(o.Edit, "/")
	n, err := strconv.Atoi(id)
	if err != nil || chat != o.To {
		return channel.Delivery{}, tool.Refuse("This is no message of the bot. Nothing was changed.")
	}
	m := &bot.EditMessageTextParams{ChatID: o.To, MessageID: n, Text: text, LinkPreviewOptions: noPreview}
	if board := keyboard(o.Buttons); board != nil {
		m.ReplyMarkup = board
	}
	_, err = within(ctx, sendWithin, func(ctx context.Context) (*models.Message, error) { return api.EditMessageText(ctx, m) })
	switch {
	case err == nil, errors.Is(err, bot.ErrorBadRequest) && strings.Contains(err.Error(), "is not modified"):
		return channel.Delivery{ID: o.Edit}, nil
	}
	if no := b.quiet.Noted(refusedFor(ctx, err), b.env.Now()); no != nil {
		return channel.Delivery{}, no
	}
	return channel.Delivery{}, troubleOf(ctx, err)
}

// noPreview keeps Telegram from fetching the addresses in a text, some of which can be used once.
var noPreview = &models.LinkPreviewOptions{IsDisabled: bot.True()}

// below has an answer in a group stand beneath what it answers.
func below(o channel.Outbound) *models.ReplyParameters {
	chat, id, _ := strings.Cut(o.Reply.ID, "/")
	n, err := strconv.Atoi(id)
	if err != nil || chat != o.To {
		return nil
	}
	return &models.ReplyParameters{MessageID: n, AllowSendingWithoutReply: true}
}

// keyboard shows buttons, two in a row.
func keyboard(buttons []channel.Button) models.ReplyMarkup {
	if len(buttons) == 0 {
		return nil
	}
	board := &models.InlineKeyboardMarkup{}
	for i, one := range buttons {
		if i%2 == 0 {
			board.InlineKeyboard = append(board.InlineKeyboard, nil)
		}
		row := &board.InlineKeyboard[i/2]
		*row = append(*row, models.InlineKeyboardButton{Text: one.Label, CallbackData: one.Data})
	}
	return board
}
