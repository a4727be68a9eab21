package public

import "gatehouse/views/i18n"

// tierRow is what happens to a tier at each level of trust; the words are keys below public.security.
type tierRow struct {
	tier, example          string
	level1, level2, level3 i18n.Key
}

const (
	runs    i18n.Key = "public.security.runs"
	asks    i18n.Key = "public.security.asks"
	unlocks i18n.Key = "public.security.asks_unlock"
	never   i18n.Key = "public.security.never"
)

var tierRows = []tierRow{
	{"green", "green", runs, runs, runs},
	{"yellow", "yellow", asks, runs, runs},
	{"yellow_external", "external", unlocks, unlocks, unlocks},
	{"red", "red", asks, asks, runs},
	{"critical_red", "critical", asks, asks, asks},
	{"forbidden", "forbidden", never, never, never},
}

// homes says of each kind of data where it is.
var homes = []i18n.Key{
	"public.security.data_talk", "public.security.data_files", "public.security.data_secrets", "public.security.data_approval",
	"public.security.data_model", "public.security.data_receipts", "public.security.data_account",
}

// notYet is what is not protected.
var notYet = []i18n.Key{
	"public.security.not_1", "public.security.not_2", "public.security.not_3", "public.security.not_4", "public.security.not_5",
}
