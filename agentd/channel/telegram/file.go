package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
)

// attachment is a file beside a message.
type attachment struct {
	id, name, kind string
	size           int64
}

// attachments are the files of a message. Of a photo it is the largest of its sizes.
func attachments(w *models.Message) (all []attachment) {
	add := func(id, name, kind string, size int64) { all = append(all, attachment{id, name, kind, size}) }
	switch {
	case w.Animation != nil: // comes as a document besides
		add(w.Animation.FileID, w.Animation.FileName, w.Animation.MimeType, w.Animation.FileSize)
	case w.Document != nil:
		add(w.Document.FileID, w.Document.FileName, w.Document.MimeType, w.Document.FileSize)
	case len(w.Photo) > 0:
		p := w.Photo[len(w.Photo)-1]
		add(p.FileID, "photo.jpg", "image/jpeg", int64(p.FileSize))
	case w.Voice != nil:
		add(w.Voice.FileID, "voice.ogg", w.Voice.MimeType, w.Voice.FileSize)
	case w.Audio != nil:
		add(w.Audio.FileID, w.Audio.FileName, w.Audio.MimeType, w.Audio.FileSize)
	case w.Video != nil:
		add(w.Video.FileID, w.Video.FileName, w.Video.MimeType, w.Video.FileSize)
	case w.VideoNote != nil:
		add(w.VideoNote.FileID, "video.mp4", "video/mp4", int64(w.VideoNote.FileSize))
	case w.Sticker != nil:
		add(w.Sticker.FileID, "sticker.webp", "", int64(w.Sticker.FileSize))
	}
	return all
}

// attach notes what stands beside a text. Files are fetched when it is known that their sender may write.
func (b *Bot) attach(api *client, m *channel.Inbound, w *models.Message) {
	if w.Location != nil {
		m.Left = append(m.Left, fmt.Sprintf("A place was sent: %.5f, %.5f.", w.Location.Latitude, w.Location.Longitude))
	}
	if w.Contact != nil {
		m.Left = append(m.Left, "A contact was sent, which is not read.")
	}
	if w.Poll != nil {
		m.Left = append(m.Left, "A poll was sent, which is not read.")
	}
	all := attachments(w)
	if len(all) == 0 {
		return
	}
	files := channel.Fetcher{First: time.Second, Gone: errGone, After: retryAfter}
	m.Fetch = files.All(len(all), func(ctx context.Context, i int) (channel.File, error) { return api.fetch(ctx, all[i], i+1) })
}

var (
	errLarge = &channel.LeftOut{Text: fmt.Sprintf("An attached file was left out, because it is larger than %d MB.", maxFile>>20)}
	errGone  = &channel.LeftOut{Text: "An attached file was left out, because Telegram did not give it."}
)

// fetch gets a file. What Telegram says of its size is not believed.
func (c *client) fetch(ctx context.Context, a attachment, n int) (channel.File, error) {
	if a.size > maxFile {
		return channel.File{}, errLarge
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	f, err := c.GetFile(ctx, &bot.GetFileParams{FileID: a.id})
	switch {
	case errors.Is(err, bot.ErrorBadRequest): // too large, or none
		return channel.File{}, errGone
	case err != nil:
		return channel.File{}, err
	}
	data, err := c.download(ctx, f.FilePath)
	return channel.File{Name: channel.FileName(a.name, a.kind, n), Data: data}, err
}

func (c *client) download(ctx context.Context, path string) ([]byte, error) {
	at, err := url.JoinPath(c.base, "file", "bot"+c.token, path)
	if err != nil {
		return nil, errGone
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return nil, errGone
	}
	answer, err := c.web.Do(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusBadRequest:
		return nil, errGone
	case answer.StatusCode != http.StatusOK:
		return nil, errEnded
	case len(data) > maxFile:
		return nil, errLarge
	}
	return data, err
}
