package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/job"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// adminJob is a job as staff see it.
type adminJob struct {
	ID        int64             `json:"id"`
	Queue     string            `json:"queue"`
	Kind      string            `json:"kind"`
	State     string            `json:"state"`
	Stopping  bool              `json:"stopping,omitempty"`
	Args      map[string]string `json:"args"`
	Attempt   int               `json:"attempt"`
	Max       int               `json:"max_attempts"`
	CreatedAt time.Time         `json:"created_at"`
	StartedAt time.Time         `json:"started_at,omitzero"`
	NextAt    time.Time         `json:"next_at"`
	EndedAt   time.Time         `json:"ended_at,omitzero"`
	Errors    []adminJobError   `json:"errors"`
}

type adminJobError struct {
	At      time.Time `json:"at"`
	Attempt int       `json:"attempt"`
	Text    string    `json:"text"`
}

func jobOf(j job.Job) adminJob {
	out := adminJob{
		ID: j.ID, Queue: j.Queue, Kind: j.Kind, State: string(j.State), Stopping: j.Stopping, Args: map[string]string{},
		Attempt: j.Attempt, Max: j.Max,
		CreatedAt: j.CreatedAt, StartedAt: j.StartedAt, NextAt: j.NextAt, EndedAt: j.EndedAt, Errors: []adminJobError{},
	}
	for _, a := range j.Args {
		out.Args[a.Name] = a.Value
	}
	for _, f := range j.Failures {
		out.Errors = append(out.Errors, adminJobError{At: f.At, Attempt: f.Attempt, Text: f.Text})
	}
	return out
}

// adminJobs answers GET admin/jobs.
func (h *handler) adminJobs(c echo.Context) error {
	ask, err := job.NewAsk(c.QueryParam("after"), c.QueryParam("limit"))
	if err != nil {
		return err
	}
	f := job.Filter{Queue: c.QueryParam("queue"), Kind: c.QueryParam("kind"), State: job.State(c.QueryParam("state"))}
	of, err := h.Jobs.List(c.Request().Context(), f, ask)
	return answer(c, of, err, jobOf)
}

// adminJobAct answers POST admin/jobs/{id}.
func (h *handler) adminJobAct(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return job.ErrNoJob
	}
	var in struct {
		Action job.Act `json:"action"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	who := session.Of(c)
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	j, err := h.Jobs.Act(c.Request().Context(), id, in.Action, by)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, jobOf(j))
}
