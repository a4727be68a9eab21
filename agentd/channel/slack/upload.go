package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse/agentd/channel"
)

// fileWithin is how long Slack may take for one file.
var fileWithin = 3 * time.Minute

// uploaded is a file that Slack has and nobody sees yet.
type uploaded struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// upload gives files to Slack. Until they are shared nobody sees them, so whatever goes wrong here, nothing was sent.
func (c *client) upload(ctx context.Context, files []channel.File) (all []uploaded, err error) {
	for _, f := range files {
		var got struct {
			URL string `json:"upload_url"`
			ID  string `json:"file_id"`
		}
		form := url.Values{"filename": {f.Name}, "length": {strconv.Itoa(len(f.Data))}}
		if err := c.call(ctx, "files.getUploadURLExternal", form, &got); err != nil {
			return nil, err
		}
		if !fileID.MatchString(got.ID) || !c.keepsFiles(got.URL) {
			return nil, errEnded
		}
		if err := put(ctx, got.URL, f.Data); err != nil {
			return nil, err
		}
		all = append(all, uploaded{got.ID, f.Name})
	}
	return all, nil
}

// put gives the bytes of a file to where Slack takes them. No token goes with it: the address is known to nobody else.
func put(ctx context.Context, to string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, fileWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(data))
	if err != nil {
		return errEnded
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		return refusalOf(answer, "upload_failed")
	}
	return err
}

// share shows files that Slack has, all together, in a channel or a thread.
func (a *App) share(ctx context.Context, api *client, o channel.Outbound, chat string, files []uploaded) error {
	raw, err := json.Marshal(files)
	if err != nil {
		return err
	}
	form := url.Values{"files": {string(raw)}, "channel_id": {chat}}
	if thread := below(o, chat); thread != "" {
		form.Set("thread_ts", thread)
	}
	for {
		err := api.call(ctx, "files.completeUploadExternal", form, nil)
		var later *channel.Later
		if !errors.As(a.quiet.Noted(refusedFor(ctx, err), a.env.Now()), &later) {
			return err
		}
		if over := channel.Rest(ctx, later.After); over != nil {
			return over
		}
	}
}
