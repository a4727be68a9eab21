package runtime

import "context"

// ReadFlagged says whether something suspicious was read by a run, or by one whose findings it was given: those it delegated, and
// the sub-agents that its message was told of, with what they delegated. flagged says it of one run alone.
func (r *Runtime) ReadFlagged(
	ctx context.Context, run string, flagged func(ctx context.Context, run string) (bool, error),
) (bool, error) {
	behind, err := r.texts(ctx, `WITH RECURSIVE given (id, root) AS (
		SELECT ?1, coalesce((SELECT root_id FROM runs WHERE id = ?1), ?1)
		UNION SELECT r.id, r.root_id FROM given g JOIN runs r ON r.root_id = g.root AND r.parent_id = g.id
		UNION SELECT s.id, s.id FROM given g JOIN subagents s ON s.told = g.root)
		SELECT id FROM given`, run)
	if err != nil {
		return false, err
	}
	for _, id := range behind {
		if bad, err := flagged(ctx, id); bad || err != nil {
			return bad, err
		}
	}
	return false, nil
}
