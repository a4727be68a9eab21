package filedelete

import (
	"context"

	"gatehouse/agentd/tool"
)

// goOn ends a deletion that a former life of the process had begun. What is gone by now counts as deleted. What is no
// longer as it was measured may be another file of that name: it stays, and of the measured one nobody knows.
func (t *Tool) goOn(ctx context.Context, l list) (tool.Result, error) {
	done, gone, kept := t.deleteAll(ctx, l)
	if len(done)+len(gone) == 0 {
		return tool.Result{}, tool.Refuse("The server was interrupted in the middle of this, and it is not known whether the files were deleted before that. What has their names now was left alone (%s)", kept[0])
	}
	r := result(append(gone, done...), kept)
	r.Text += "The server was interrupted in the middle of this. When it went on, " + tool.Count(int64(len(gone)), "of these was", "of these were") + " gone already.\n"
	return r, nil
}
