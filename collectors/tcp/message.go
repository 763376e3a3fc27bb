package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
)

// The parts of a netlink message that socket diagnosis uses (linux/netlink.h, linux/sock_diag.h).
const (
	headerSize = 16

	kindError   = 2  // NLMSG_ERROR
	kindDone    = 3  // NLMSG_DONE
	kindOverrun = 4  // NLMSG_OVERRUN
	kindDiag    = 20 // SOCK_DIAG_BY_FAMILY

	flagMulti = 2 // NLM_F_MULTI
)

// The error numbers of Linux that a reply may carry. A recorded reply can be read on any system, so those of package
// syscall will not do.
const (
	linuxEPERM  = 1
	linuxENOENT = 2
	linuxEACCES = 13
)

// errIncomplete says that sessions may be missing from a reply.
var errIncomplete = errors.New("reply is incomplete")

// message is one netlink message of a reply.
type message struct {
	kind uint16
	data []byte
}

// cutMessage takes the first message off a reply and returns the rest. Netlink uses the byte order of the host.
func cutMessage(reply []byte) (message, []byte, error) {
	if len(reply) < headerSize {
		return message{}, nil, fmt.Errorf("%w: %d bytes left where a message should begin", errIncomplete, len(reply))
	}
	size := uint64(binary.NativeEndian.Uint32(reply))
	if size < headerSize || size > uint64(len(reply)) {
		return message{}, nil, fmt.Errorf("%w: message of %d bytes with %d left", errIncomplete, size, len(reply))
	}
	cut := message{kind: binary.NativeEndian.Uint16(reply[4:]), data: reply[headerSize:size]}
	return cut, reply[min(align(int(size)), len(reply)):], nil
}

// appendMessage adds one message of a multi-part reply.
func appendMessage(reply []byte, kind uint16, sequence, port uint32, data []byte) []byte {
	reply = binary.NativeEndian.AppendUint32(reply, uint32(headerSize+len(data)))
	reply = binary.NativeEndian.AppendUint16(reply, kind)
	reply = binary.NativeEndian.AppendUint16(reply, flagMulti)
	reply = binary.NativeEndian.AppendUint32(reply, sequence)
	reply = binary.NativeEndian.AppendUint32(reply, port)
	reply = append(reply, data...)
	return append(reply, make([]byte, align(len(data))-len(data))...)
}

// appendDone adds the message that ends a reply.
func appendDone(reply []byte, sequence, port uint32) []byte {
	return appendMessage(reply, kindDone, sequence, port, make([]byte, 4))
}

// align rounds up to the four bytes that messages and attributes are aligned to.
func align(size int) int { return (size + 3) &^ 3 }

// status reads the error number at the start of an error or done message; both carry it negated.
func status(data []byte) error {
	if len(data) < 4 {
		return nil
	}
	number := -int64(int32(binary.NativeEndian.Uint32(data)))
	switch number {
	case 0:
		return nil
	case linuxEPERM, linuxEACCES:
		return fmt.Errorf("kernel refused with error %d: %w", number, fs.ErrPermission)
	case linuxENOENT:
		return fmt.Errorf("kernel has no socket diagnosis of TCP, error %d: %w", number, fs.ErrNotExist)
	}
	return fmt.Errorf("kernel answered with error %d", number)
}
