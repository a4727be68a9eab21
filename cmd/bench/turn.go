package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/bench/bare"
)

// API paths that several figures use.
const (
	chatPath = "/api/v1/customer/chat"
	echoPath = bare.EchoPath

	approvalsPath = "/api/v1/customer/approvals"
)

// talker is one conversation: a connection to write on and one to listen on.
type talker struct {
	say, hear *conn
	session   string
}

func (s *Stage) talker(ctx context.Context) (*talker, error) {
	say, err := s.program(ctx)
	if err != nil {
		return nil, err
	}
	hear, err := s.program(ctx)
	if err != nil {
		say.Close()
		return nil, err
	}
	return &talker{say: say, hear: hear}, nil
}

func (t *talker) Close() {
	t.say.Close()
	t.hear.Close()
}

// chatBody and chatAnswer are POST chat.
type (
	chatBody struct {
		Agent     string `json:"agent"`
		Text      string `json:"text"`
		SessionID string `json:"session_id,omitempty"`
	}
	chatAnswer struct {
		RunID     string `json:"run_id"`
		SessionID string `json:"session_id"`
	}
)

// post writes one message and returns when the hub has acknowledged it.
func (t *talker) post(agent, text string) (string, error) {
	var a chatAnswer
	if err := t.say.ask(http.MethodPost, chatPath, chatBody{agent, text, t.session}, http.StatusAccepted, &a); err != nil {
		return "", err
	}
	t.session = a.SessionID
	return a.RunID, nil
}

// turn writes one message and listens until the run ends. A run that fails is an error: it must not pass as a fast one.
func (t *talker) turn(agent, text string, see func(event string, data []byte)) (run string, err error) {
	if run, err = t.post(agent, text); err != nil {
		return "", err
	}
	return run, t.listen(run, see)
}

var errNoEnd = errors.New("the stream ended before the run did")

// listen reads the events of a run until its end.
func (t *talker) listen(run string, see func(event string, data []byte)) error {
	ended := errNoEnd
	err := t.hear.follow(chatPath+"/"+run+"/events", func(event string, data []byte) {
		switch wire.Event(event) {
		case wire.EventFinal:
			ended = nil
		case wire.EventError:
			ended = fmt.Errorf("run %s: %s", run, data)
		}
		if see != nil {
			see(event, data)
		}
	})
	return errors.Join(err, ended)
}
