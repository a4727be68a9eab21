package wire

// Version is the protocol version that both ends speak.
//
// History: 1 is the first version.
const Version = 1

// MaxFrame is the largest frame in bytes that either end accepts; larger bodies travel in parts.
const MaxFrame = 1 << 20
