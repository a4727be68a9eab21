package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
)

// runNode is a run with those that it began: tasks that it handed to colleagues, and sub-agents.
type runNode struct {
	ID        string        `json:"id"`
	SessionID string        `json:"session_id"`
	Agent     string        `json:"agent"`
	State     wire.RunState `json:"state"`
	SubState  wire.SubState `json:"sub_state"` // of a sub-agent; empty: it is none
	Task      string        `json:"task"`
	CreatedAt time.Time     `json:"created_at"`
	StartedAt *time.Time    `json:"started_at"`
	EndedAt   *time.Time    `json:"ended_at"`
	Tokens    int64         `json:"tokens"`
	Children  []*runNode    `json:"children"`
}

func runNodeOf(r wire.RunInfo) *runNode {
	n := &runNode{
		ID: r.ID, SessionID: r.SessionID, Agent: r.Agent, State: r.State, Task: r.Task, CreatedAt: r.CreatedAt,
		StartedAt: unlessZero(r.StartedAt), EndedAt: unlessZero(r.EndedAt), Tokens: r.Tokens, Children: []*runNode{},
	}
	if r.Sub != nil {
		n.SubState = r.Sub.State
	}
	return n
}

// run answers GET runs/{run}: the run with everything that it began.
func (h *handler) run(c echo.Context) error {
	id, err := idParam(c, "run")
	if err != nil {
		return err
	}
	got, err := h.Chat.Run(c.Request().Context(), customerOf(c), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, treeOf(got))
}

// treeOf puts each run below the one that began it. One whose beginner is not told stands below the first.
func treeOf(r wire.Run) *runNode {
	root := runNodeOf(r.RunInfo)
	known := map[string]*runNode{root.ID: root}
	for _, one := range r.Tree { // those that begin stand before those that were begun
		n := runNodeOf(one)
		above := known[one.ParentID]
		if above == nil {
			above = root
		}
		above.Children = append(above.Children, n)
		known[n.ID] = n
	}
	return root
}
