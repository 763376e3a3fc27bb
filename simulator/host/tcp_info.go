package host

import (
	"encoding/binary"
	"math"
	"time"
)

// infoSize is the length of tcp_info in Linux 6.12.
const infoSize = 248

const (
	beginWindow = 10   // segments
	segment     = 1448 // bytes of data in a full one
	neverRTT    = math.MaxUint32
)

// The places of tcp_info's fields, by the names of linux/tcp.h without their prefix tcpi_.
const (
	atState         = 0
	atOptions       = 5
	atScale         = 6
	atRTO           = 8
	atSendMSS       = 16
	atReceiveMSS    = 20
	atUnacked       = 24
	atPathMTU       = 60
	atRTT           = 68
	atRTTVariation  = 72
	atThreshold     = 76
	atWindow        = 80
	atAdvertisedMSS = 84
	atReordering    = 88
	atTotalRetrans  = 100
	atPacingRate    = 104
	atMaxPacingRate = 112
	atBytesAcked    = 120
	atBytesReceived = 128
	atSegmentsOut   = 136
	atSegmentsIn    = 140
	atNotSent       = 144
	atMinRTT        = 148
	atDataIn        = 152
	atDataOut       = 156
	atDeliveryRate  = 160
	atBusy          = 168
	atReceiveWindow = 176
	atSendBuffer    = 184
	atDelivered     = 192
	atBytesSent     = 200
	atBytesAgain    = 208
	atOutOfOrder    = 224
)

// timeout is the time after which a segment is sent again, in microseconds.
func (c connection) timeout() uint32 {
	const least = 200_000
	return least + uint32(min(micros(c.RTT), math.MaxUint32-least))
}

// info is the session's tcp_info. Fields that the machine knows nothing of stand as in a session at rest.
func (c connection) info() []byte {
	out := make([]byte, infoSize)
	put4 := func(at int, value uint32) { binary.NativeEndian.PutUint32(out[at:], value) }
	put8 := func(at int, value uint64) { binary.NativeEndian.PutUint64(out[at:], value) }
	out[atState], out[atOptions], out[atScale] = stateEstablished, 0x07, 0x77 // time stamps, SACK and scaled windows
	for at, value := range map[int]uint32{
		atRTO: c.timeout(), atSendMSS: segment, atReceiveMSS: segment, atPathMTU: segment + 52, atAdvertisedMSS: segment,
		atUnacked: c.unacked(), atRTT: shortMicros(c.RTT), atRTTVariation: shortMicros(c.RTT / 8),
		atThreshold: math.MaxInt32, atWindow: c.window(), atReordering: 3, atTotalRetrans: wrapped(c.Retransmits),
		atSegmentsOut: wrapped(c.Sent.Packets), atSegmentsIn: wrapped(c.Received.Packets), atNotSent: c.NotSent,
		atMinRTT: c.minRTT(), atDataIn: wrapped(c.Received.Packets), atDataOut: wrapped(c.Sent.Packets),
		atDelivered: wrapped(c.Sent.Packets - c.Retransmits), atOutOfOrder: wrapped(c.OutOfOrder),
	} {
		put4(at, value)
	}
	acked, again := whole(c.Sent.Bytes), whole(c.Retransmits*segment)
	for at, value := range map[int]uint64{
		atPacingRate: math.MaxUint64, atMaxPacingRate: math.MaxUint64,
		atBytesAcked: acked, atBytesReceived: whole(c.Received.Bytes),
		atBytesSent: acked + uint64(c.SendQueue-min(c.NotSent, c.SendQueue)) + again, atBytesAgain: again,
		atDeliveryRate: whole(c.DeliveryRate),
		atBusy:         micros(c.Busy), atReceiveWindow: micros(c.ReceiveWindow), atSendBuffer: micros(c.SendBuffer),
	} {
		put8(at, value)
	}
	return out
}

// unacked are the segments that wait for an acknowledgement.
func (c connection) unacked() uint32 {
	return (c.SendQueue - min(c.NotSent, c.SendQueue) + segment - 1) / segment
}

func (c connection) window() uint32 {
	if c.Window <= 0 {
		return beginWindow
	}
	return uint32(min(c.Window, math.MaxInt32))
}

// minRTT is a number that no time has while there is none.
func (c connection) minRTT() uint32 {
	if c.MinRTT <= 0 {
		return neverRTT
	}
	return shortMicros(c.MinRTT)
}

func shortMicros(d time.Duration) uint32 { return uint32(min(micros(d), math.MaxUint32-1)) }
