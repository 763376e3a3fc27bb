package model

// Host is one client machine with what it mounts. Its sources are written from what its mounts do (package world).
type Host struct {
	Name         string   `yaml:"name"`
	OS           string   `yaml:"os"`            // linux (default) or windows
	Kernel       string   `yaml:"kernel"`        // default 6.12.0
	Address      string   `yaml:"address"`       // of its interface
	Cores        int      `yaml:"cores"`         // default 8
	NetworkMbps  int      `yaml:"network_mbps"`  // of the interface, each way; default 32000
	OtherMiBps   float64  `yaml:"other_mibps"`   // that the interface carries beside storage, each way
	OtherCPU     float64  `yaml:"other_cpu"`     // share of every core that other work takes
	Steal        float64  `yaml:"steal"`         // share of every core that the hypervisor gave to others
	SlotTable    int      `yaml:"slot_table"`    // of NFS transports; 0 for the kernel's default of 65,536, 128 of which the cloud's servers take
	SessionSlots int      `yaml:"session_slots"` // of NFSv4.1 that the client asks for; 0 for the kernel's default of 64
	Boots        int      `yaml:"boots"`         // how often it was booted; one more begins all counters anew
	Unread       bool     `yaml:"unread"`        // nothing reads it: no agent runs
	Mounts       []*Mount `yaml:"mounts"`
}

// Mount is one file system that a host has from a server, or one disk for iSCSI, and what its applications do with it.
// Mounts of one host, protocol and server share their sessions, and take those that the first of them describes.
type Mount struct {
	Protocol     string `yaml:"protocol"` // nfs3, nfs4.1, smb or iscsi
	Server       string `yaml:"server"`   // address, or a name such as example.file.core.windows.net
	Address      string `yaml:"address"`  // of a server that is named
	Export       string `yaml:"export"`   // such as /data; the share of smb; the target's name of iscsi
	Path         string `yaml:"path"`     // where it is mounted
	Sessions     int    `yaml:"sessions"` // TCP sessions: nconnect, channels, iscsi sessions; default 1
	Slots        int    `yaml:"slots"`    // requests without a reply that the server lets a session have: v4.1 slots (default 180), credits (512), iSCSI commands (128)
	Multichannel bool   `yaml:"multichannel"`
	ServerRSS    *bool  `yaml:"server_rss"` // whether the server's interface spreads over cores; default true

	Load Jobs `yaml:"load"`
	Way  Way  `yaml:"way"`
}

// Jobs is what applications do on a mount: threads that each wait for a reply, think, and ask again.
type Jobs struct {
	Threads       float64 `yaml:"threads"`        // requests that applications keep outstanding; 0 for an idle mount
	ThinkMS       float64 `yaml:"think_ms"`       // between a reply and the next request of a thread
	BlockKiB      float64 `yaml:"block_kib"`      // of a read or write; default 64
	WriteShare    float64 `yaml:"write_share"`    // of reads and writes
	MetadataShare float64 `yaml:"metadata_share"` // of all operations
	Files         int     `yaml:"files"`          // that the threads work on; default one for each thread
	Pattern       Pattern `yaml:"pattern"`        // of the number of threads: constant (default), daily, bursty, growing or step
	Factor        float64 `yaml:"factor"`         // as of a volume's load
	Every         Span    `yaml:"every"`
	Length        Span    `yaml:"length"`
	PerWeek       float64 `yaml:"per_week"`
	At            Span    `yaml:"at"`
}

// Way is what a request costs between the application and the service. The defaults give the published gain of five for
// sixteen sessions.
type Way struct {
	RTTMS     float64   `yaml:"rtt_ms"`     // of the network; default 0.35
	SessionUS float64   `yaml:"session_us"` // of one session for each request; default 33
	FlowMiBps float64   `yaml:"flow_mibps"` // most that one session carries; 0 for as much as session_us allows
	ClientUS  float64   `yaml:"client_us"`  // of what all sessions of the host share, for each request; default 6.6
	Growth    float64   `yaml:"growth"`     // of session_us with each further session, as a share: a soft knee
	Skew      []float64 `yaml:"skew"`       // weights of the sessions; empty for even ones
	OnCore    bool      `yaml:"on_core"`    // a session's time is that of one core, which shows as its soft interrupts
	ServiceMS float64   `yaml:"service_ms"` // of the service without any queue; default 0.8
	Stalled   bool      `yaml:"stalled"`    // the server takes requests and answers none
	Loss      float64   `yaml:"loss"`       // share of segments that are sent again
	Policed   bool      `yaml:"policed"`    // what is beyond flow_mibps is dropped and not queued
	WindowKiB float64   `yaml:"window_kib"` // of written data that a session may have unacknowledged; 0 for as much as there is
}

// The operating systems and protocols of hosts.
const (
	Linux   = "linux"
	Windows = "windows"

	NFS3    = "nfs3"
	NFS41   = "nfs4.1"
	OverSMB = "smb"
	ISCSI   = "iscsi"
)
