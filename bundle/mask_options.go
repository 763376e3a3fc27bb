package bundle

import (
	"regexp"
	"strings"
)

// options keeps the options of a mount that hold no name, masks addresses and users, and leaves out the others.
func (m *mask) options(text string) string {
	var kept []string
	for option := range strings.SplitSeq(text, ",") {
		option = strings.TrimSpace(option)
		key, value, hasValue := strings.Cut(option, "=")
		switch {
		case !hasValue && m.known.flags[key],
			hasValue && m.known.numbers[key] && optionNumber.MatchString(value),
			hasValue && m.known.words[key][value]:
			kept = append(kept, option)
		case hasValue && m.known.addresses[key]:
			kept = append(kept, key+"="+m.server(value))
		case hasValue && m.known.names[key]:
			kept = append(kept, key+"=masked")
		}
	}
	return strings.Join(kept, ",")
}

// optionNumber is a number, a version or a mask.
var optionNumber = regexp.MustCompile(`^-?(0x[0-9a-f]+|[0-9]+(\.[0-9]+){0,2})$`)

// vocabulary is what the kernel itself writes and may be kept.
type vocabulary struct {
	flags                     map[string]bool            // options without a value
	numbers, addresses, names map[string]bool            // options by what their value is
	words                     map[string]map[string]bool // options with one of some values
	states                    map[string]bool            // words in files that hold one value
	cifs                      map[string]bool            // words in files of /proc/fs/cifs
}

func newVocabulary() vocabulary {
	return vocabulary{
		flags: set(`rw ro sync dirsync mand noatime relatime strictatime lazytime nodiratime nosuid nodev noexec
			hard soft softerr softreval intr nointr posix nocto noac noacl nolock lock nosharecache nosharetransport
			sharecache resvport noresvport rdirplus nordirplus bg fg migration nomigration fsc alignwrite noalignwrite
			fsidperm unshared sessions
			multichannel nomultichannel serverino noserverino mapposix mapchars nomapchars nounix unix posixpaths
			noposixpaths forceuid noforceuid forcegid noforcegid setuids nosetuids noperm perm nobrl nolease
			nohandlecache seal sign rdma persistenthandles nopersistenthandles resilienthandles nosparse nodfs
			multiuser mfsymlinks cifsacl idsfromsid modefromsid nativesocket nonativesocket tcpnodelay noautotune
			nostrictsync forcemandatorylock domainauto guest nosharesock noblocksend nodelete rootfs compress witness
			dynperm nocase sfu`),
		numbers: set(`vers minorversion nfsvers rsize wsize bsize wtmult dtsize namlen acregmin acregmax acdirmin
			acdirmax actimeo timeo retrans port mountvers mountport nconnect max_connect trunkdiscovery
			caps flavor pseudoflavor bm0 bm1 bm2 acl lease_time lease_expired
			max_channels max_credits max_cached_dirs echo_interval closetimeo handletimeout rasize esize
			min_enc_offload file_mode dir_mode`),
		addresses: set("addr mountaddr clientaddr srcaddr ip"),
		names:     set("username user domain dom unc source prefixpath password pass netbiosname servern cruid credentials"),
		words:     optionWords(),
		cifs:      cifsWords(),
		states: set(`Y N up down unknown dormant lowerlayerdown notpresent testing full half live coming going
			CONNECTED CONNECTING CLOSE_WAIT BOUND BINDING CLOSING CONGESTED CWND_WAIT WRITE_SPACE LOCKED OFFLINE REMOVED
			CLOSED MAIN LOGGED_IN FAILED FREE (null) failed None CRC32C iscsi_tcp iscsi_iser state=LOCKED state=CONNECTED state=BOUND state=CLOSED state=CONNECTING state=CLOSING <closed>
			global percpu pernode auto cubic bbr reno dctcp fq fq_codel pfifo_fast`),
	}
}

func optionWords() map[string]map[string]bool {
	protocols := set("tcp tcp6 udp udp6 rdma rdma6")
	return map[string]map[string]bool{
		"vers": set("default"), "proto": protocols, "mountproto": protocols, "xprtsec": set("none tls mtls"),
		"sec": set(`sys null none krb5 krb5i krb5p ntlmssp ntlmsspi ntlmv2 ntlmv2i lkey lkeyi lkeyp spkm spkmi spkmp`),

		"local_lock": set("none all flock posix"), "lookupcache": set("all none pos positive"),
		"rdirplus": set("none force"), "write": set("lazy eager wait"),
		"fatal_neterrors": set("none default ENETDOWN:ENETUNREACH"),
		"pnfs": {
			"not configured": true, "LAYOUT_NFSV4_1_FILES": true, "LAYOUT_FLEX_FILES": true,
			"LAYOUT_BLOCK_VOLUME": true, "LAYOUT_SCSI": true,
		},

		"cache": set("strict none loose ro singleclient"), "reparse": set("default none nfs wsl"),
		"symlink": set("default none native unix mfsymlinks sfu nfs wsl"), "upcall_target": set("app mount"),
		"iocharset": set("utf8"),
	}
}

// set makes a set of words.
func set(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}
