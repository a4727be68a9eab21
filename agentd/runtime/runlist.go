package runtime

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"gatehouse/agentd/wire"
)

// pageSize is how many items a list gives.
func pageSize(limit int) int {
	if limit <= 0 {
		return 50
	}
	return min(limit, 200)
}

// filter gathers conditions.
type filter struct {
	where []string
	args  []any
}

func (f *filter) add(condition string, args ...any) {
	f.where = append(f.where, condition)
	f.args = append(f.args, args...)
}

func (f *filter) String() string { return strings.Join(f.where, " AND ") }

// likePattern is a pattern that finds q anywhere, taken literally.
func likePattern(q string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(q) + "%"
}

// listRuns gives one page of the activity feed, newest first: root runs, or the runs of one agent.
func (r *Runtime) listRuns(ctx context.Context, p wire.ListParams) (wire.RunsResult, error) {
	var f filter
	if p.Agent != "" {
		f.add("agent = ?", p.Agent)
	} else {
		f.add("depth = 0")
	}
	if p.Q != "" {
		f.add(`text LIKE ? ESCAPE '\'`, likePattern(p.Q))
	}
	if p.Tier != "" {
		f.add("worst = ?", p.Tier)
	}
	if p.Tool != "" {
		f.add("EXISTS (SELECT 1 FROM run_calls c WHERE c.root_id = runs.root_id AND c.tool = ?)", p.Tool)
	}
	if p.Session != "" {
		f.add("session_id = ?", p.Session)
	}
	if p.After != "" {
		seq, err := strconv.ParseInt(p.After, 10, 64)
		if err != nil {
			return wire.RunsResult{}, errCursor
		}
		f.add("seq < ?", seq)
	}
	limit := pageSize(p.Limit)
	rows, err := r.runsWhere(ctx, f.String()+" ORDER BY seq DESC LIMIT ?", append(f.args, limit+1)...)
	if err != nil {
		return wire.RunsResult{}, err
	}
	out := wire.RunsResult{Items: []wire.RunInfo{}}
	if len(rows) > limit {
		rows = rows[:limit]
		out.Next = strconv.FormatInt(rows[limit-1].Seq, 10)
	}
	for _, row := range rows {
		out.Items = append(out.Items, r.info(row))
	}
	return out, cmp.Or(r.markSubs(ctx, out.Items), r.fillDid(ctx, out.Items))
}

var errCursor = &wire.RPCError{Code: "bad_request", Text: "This page of the list does not exist. Start from the first page."}
