package signal

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"time"

	"gatehouse/agentd/channel"
)

// attachment is a file beside a message, which signal-cli keeps on the server.
type attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename"`
	Kind string `json:"contentType"`
	Size int64  `json:"size"`
}

// attach notes what stands beside a text. Files are fetched when it is known that their sender may write.
func (r *run) attach(m *channel.Inbound, d data) {
	if d.Sticker != nil {
		m.Left = append(m.Left, "A sticker was sent, which is not read.")
	}
	if len(d.Contacts) > 0 {
		m.Left = append(m.Left, "A contact was sent, which is not read.")
	}
	all := d.Files
	switch {
	case len(all) == 0:
		return
	case d.Once:
		m.Left = append(m.Left, "A file that is to be seen once was left out.")
		return
	case len(all) > maxFiles:
		m.Left = append(m.Left, fmt.Sprintf("%d attached files were left out, because %d is the most.", len(all)-maxFiles, maxFiles))
		all = all[:maxFiles]
	}
	from := where(m.Address)
	if m.Group != "" {
		from = where(m.Group)
	} else {
		from["recipient"] = m.Address // here it takes one
	}
	files := channel.Fetcher{First: againAfter, Gone: errGone, After: func(error) (time.Duration, bool) { return 0, false }}
	m.Fetch = files.All(len(all), func(ctx context.Context, i int) (channel.File, error) {
		return r.api.fetch(ctx, all[i], from, i+1)
	})
}

var againAfter = time.Second

const fetchWithin = 2 * time.Minute

var (
	errLarge = &channel.LeftOut{Text: fmt.Sprintf("An attached file was left out, because it is larger than %d MB.", maxFile>>20)}
	errGone  = &channel.LeftOut{Text: "An attached file was left out, because Signal did not give it."}
)

// fetch gets a file. What its sender says of its size is not believed.
func (c *client) fetch(ctx context.Context, a attachment, from map[string]any, n int) (channel.File, error) {
	switch {
	case a.Size > maxFile:
		return channel.File{}, errLarge
	case a.ID == "":
		return channel.File{}, errGone
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	params := maps.Clone(from)
	params["id"] = a.ID
	var got struct {
		Data string `json:"data"`
	}
	err := c.within(ctx, "getAttachment", params, &got)
	var no *refusal
	if errors.As(err, &no) && no.status == 200 {
		return channel.File{}, errGone
	}
	if err != nil {
		return channel.File{}, err
	}
	data, err := base64.StdEncoding.DecodeString(got.Data)
	switch {
	case err != nil:
		return channel.File{}, errGone
	case len(data) > maxFile:
		return channel.File{}, errLarge
	}
	return channel.File{Name: channel.FileName(a.Name, a.Kind, n), Data: data}, nil
}
