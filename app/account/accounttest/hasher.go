package accounttest

import "gatehouse/app/account"

// Hasher makes and checks hashes as people's are made, in a thousandth of the time: most tests sign somebody in, and none of
// them is about what that costs.
func Hasher() *account.Hasher { return account.HasherOf(64, 1) }
