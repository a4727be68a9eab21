package policy

// Tier is how risky a call is. The order of the constants is the order of risk; YellowExternal lies apart: it
// reaches someone outside the business and is asked until unlocked, whatever the level.
type Tier string

// The tiers, from harmless to never.
const (
	Green          Tier = "green"           // reads
	Yellow         Tier = "yellow"          // modifies, recoverable, inside the business
	YellowExternal Tier = "yellow_external" // reaches someone outside
	Red            Tier = "red"             // destroys or removes
	CriticalRed    Tier = "critical_red"    // irreversible or weakens protection
	Forbidden      Tier = "forbidden"       // never, whoever approves
)

var tierRank = map[Tier]int{Green: 1, Yellow: 2, YellowExternal: 3, Red: 4, CriticalRed: 5, Forbidden: 6}

// Rank orders tiers by risk; a tier that is not known ranks as Forbidden.
func (t Tier) Rank() int {
	if r, ok := tierRank[t]; ok {
		return r
	}
	return tierRank[Forbidden]
}

// Worst is the riskier of two tiers.
func Worst(a, b Tier) Tier {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
