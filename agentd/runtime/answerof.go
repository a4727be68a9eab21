package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// RunAnswer is how a root run ended.
type RunAnswer struct {
	Ended bool
	Text  string          // what its conversation shows
	Into  string          // the run that answers in its stead: it took this message up, or its message took the place of this one
	Taint []policy.Source // the content from outside that it has read

	Files []tool.Attachment // that go with it

	Failed bool  // the text says why there is no answer
	Tokens int64 // that models read and wrote for it
}

// AnswerOf says how a root run ended, as far as it is on disk. One that is not there anymore has ended without a word.
func (r *Runtime) AnswerOf(ctx context.Context, runID string) (RunAnswer, error) {
	row := runRow{ID: runID}
	var ended int64
	err := r.store.Read().QueryRowContext(ctx, "SELECT state, final, error, ended_at, usage_in, usage_out FROM runs WHERE id = ?",
		runID).Scan(&row.State, &row.Final, &row.Error, &ended, &row.UsageIn, &row.UsageOut)
	if errors.Is(err, sql.ErrNoRows) {
		return RunAnswer{Ended: true}, nil
	}
	if err != nil {
		return RunAnswer{}, fmt.Errorf("read run: %w", err)
	}
	if ended == 0 {
		return RunAnswer{}, nil
	}
	behind, err := taint.OfRun(ctx, r.store, runID)
	if err != nil {
		return RunAnswer{}, err
	}
	files, err := r.attached(ctx, runID)
	if err != nil {
		return RunAnswer{}, err
	}
	text, err := r.endText(ctx, row)
	return RunAnswer{
		Ended: true, Text: text, Into: insteadOf(row), Taint: behind, Failed: row.Final == "", Tokens: row.UsageIn + row.UsageOut,
		Files: files,
	}, err
}

// insteadOf is the run that answers in the stead of one that has ended; empty: none does.
func insteadOf(row runRow) string {
	var final wire.FinalData
	var fault wire.ErrorData
	if row.Final != "" && json.Unmarshal([]byte(row.Final), &final) == nil {
		return final.Into
	}
	if row.Error != "" && json.Unmarshal([]byte(row.Error), &fault) == nil {
		return fault.For
	}
	return ""
}
