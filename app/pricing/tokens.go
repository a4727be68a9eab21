package pricing

// Tokens are counts of tokens by how models charge for them. Input leaves out what was written to or read from a cache.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// Prices are what a million tokens of a model cost, in millionths of a US dollar.
type Prices struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// Rate is how many millionths of a euro a US dollar is worth.
type Rate int64
