package nfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
)

// The size of the file that the parsers are measured on: 100 mounts with 16 transports each.
const (
	benchMounts     = 100
	benchTransports = 16
	benchBytes      = 607_000
)

// operations42 are the per-op lines of an NFSv4.2 mount, as Linux 6.1 has them.
const operations42 = "NULL READ WRITE COMMIT OPEN OPEN_CONFIRM OPEN_NOATTR OPEN_DOWNGRADE CLOSE SETATTR FSINFO RENEW " +
	"SETCLIENTID SETCLIENTID_CONFIRM LOCK LOCKT LOCKU ACCESS GETATTR LOOKUP LOOKUP_ROOT REMOVE RENAME LINK SYMLINK " +
	"CREATE PATHCONF STATFS READLINK READDIR SERVER_CAPS DELEGRETURN GETACL SETACL FS_LOCATIONS RELEASE_LOCKOWNER " +
	"SECINFO FSID_PRESENT EXCHANGE_ID CREATE_SESSION DESTROY_SESSION SEQUENCE GET_LEASE_TIME RECLAIM_COMPLETE " +
	"LAYOUTGET GETDEVICEINFO LAYOUTCOMMIT LAYOUTRETURN SECINFO_NO_NAME TEST_STATEID FREE_STATEID GETDEVICELIST " +
	"BIND_CONN_TO_SESSION DESTROY_CLIENTID SEEK ALLOCATE DEALLOCATE LAYOUTSTATS CLONE COPY OFFLOAD_CANCEL LOOKUPP " +
	"LAYOUTERROR COPY_NOTIFY GETXATTR SETXATTR LISTXATTRS REMOVEXATTR READ_PLUS"

// writeMount writes a stanza as the kernel does, with counters that look used.
func writeMount(out *strings.Builder, number, transports int) {
	fmt.Fprintf(out, "device 192.0.2.%d:/srv/vol%d mounted on /mnt/vol%d with fstype nfs4 statvers=1.1\n"+
		"\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60,"+
		"hard,proto=tcp,nconnect=16,timeo=600,retrans=2,sec=sys,clientaddr=192.0.2.200,local_lock=none\n"+
		"\tage:\t86400\n\timpl_id:\tname='',domain='',date='0,0'\n"+
		"\tcaps:\tcaps=0xeffbc0bf,wtmult=512,dtsize=1048576,bsize=0,namlen=255\n"+
		"\tnfsv4:\tbm0=0xfdffbfff,bm1=0x40fdbe3e,bm2=0x60803,acl=0x3,sessions,pnfs=not configured,lease_time=90,lease_expired=0\n"+
		"\tsec:\tflavor=1,pseudoflavor=1\n\tevents:\t2 6 0 0 1 0 11 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \n"+
		"\tbytes:\t0 0 24268800 0 24264704 0 0 0 \n\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n",
		number%50, number, number)
	for transport := range transports {
		fmt.Fprintf(out, "\txprt:\ttcp 0 0 2 0 0 %d %d 0 %d 0 64 %d %d\n",
			494490723+transport, 494490687+transport, 10032963746+number, 1226637531+transport, 8806326215)
	}
	out.WriteString("\tper-op statistics\n")
	for name := range strings.FieldsSeq(operations42) {
		numbers := "0 0 0 0 0 0 0 0 0"
		switch name {
		case "READ", "WRITE", "COMMIT", "GETATTR", "SETATTR", "ACCESS", "LOOKUP", "OPEN", "OPEN_NOATTR", "CLOSE", "LOCK",
			"LOCKU", "REMOVE", "RENAME", "CREATE", "STATFS", "READDIR", "DELEGRETURN", "LAYOUTGET", "SEEK", "TEST_STATEID",
			"LAYOUTRETURN", "GETXATTR", "SETXATTR", "FREE_STATEID", "GETACL", "READLINK", "LINK":
			numbers = fmt.Sprintf("%d %d 0 %d %d %d %d %d 0",
				59248123+number, 59248129+number, 10900161234, 248808001234, 28581234, 216011234, 258191234)
		}
		fmt.Fprintf(out, "\t%12s: %s\n", name, numbers)
	}
	out.WriteString("\n")
}

// benchFile is a mountstats file of benchMounts mounts; lines of other file systems fill it up to benchBytes.
func benchFile() []byte {
	var out strings.Builder
	for mount := range benchMounts {
		writeMount(&out, mount, benchTransports)
	}
	for i := 0; out.Len() < benchBytes; i++ {
		fmt.Fprintf(&out, "device tmpfs mounted on /run/user/%d with fstype tmpfs\n", i)
	}
	return []byte(out.String())
}

func countOperations(data []byte) (mounts, transports, operations int) {
	for stanza := range ParseMountstats(data, noSkip) {
		mounts++
		transports += len(stanza.Transports)
		operations += len(stanza.Operations)
	}
	return mounts, transports, operations
}

func TestParseMountstatsAllocatesLittle(t *testing.T) {
	data := benchFile()
	if size := len(data); size < benchBytes || size > benchBytes+100 {
		t.Errorf("the file has %d bytes, not about %d", size, benchBytes)
	}
	mounts, transports, operations := countOperations(data)
	if mounts != benchMounts || transports != benchMounts*benchTransports || operations != benchMounts*69 {
		t.Fatalf("%d mounts, %d transports, %d operations", mounts, transports, operations)
	}
	const most = 500
	if allocations := testing.AllocsPerRun(5, func() { countOperations(data) }); allocations > most {
		t.Errorf("%v allocations, more than %d", allocations, most)
	}
}

func BenchmarkParseMountstats(b *testing.B) {
	data := benchFile()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		countOperations(data)
	}
}

// BenchmarkReadMountstats reads the file as well, as procfs cannot do without.
func BenchmarkReadMountstats(b *testing.B) {
	name := benchProcess(b)
	b.ReportAllocs()
	for b.Loop() {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		countOperations(data)
	}
}

func BenchmarkProcfsMountstats(b *testing.B) {
	name := benchProcess(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := procfsMounts(filepath.Dir(filepath.Dir(name))); err != nil {
			b.Fatal(err)
		}
	}
}

func benchProcess(b *testing.B) string {
	b.Helper()
	return writeProcess(b, benchFile())
}

// BenchmarkCollect measures a whole run on the same mounts: parsing, joining and putting samples into a sink.
func BenchmarkCollect(b *testing.B) {
	root := hostWith(manyMounts(benchMounts, benchTransports))
	b.ReportAllocs()
	for b.Loop() {
		if err := New(root).Collect(b.Context(), &recorder{}); err != nil {
			b.Fatal(err)
		}
	}
}

// writeProcess writes mountstats of process 1 in a directory of its own.
func writeProcess(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "1", "mountstats")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func procfsMounts(root string) ([]*procfs.Mount, error) {
	fsys, err := procfs.NewFS(root)
	if err != nil {
		return nil, err
	}
	process, err := fsys.Proc(1)
	if err != nil {
		return nil, err
	}
	return process.MountStats()
}

// manyMounts are the files of a host with many NFSv4.2 mounts.
func manyMounts(mounts, transports int) map[string]string {
	var stats, info strings.Builder
	for mount := range mounts {
		writeMount(&stats, mount, transports)
		fmt.Fprintf(&info, "%d 24 %d:%d / /mnt/vol%d rw,relatime - nfs4 192.0.2.%d:/srv/vol%d "+
			"rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=16,timeo=600,retrans=2,sec=sys,"+
			"clientaddr=192.0.2.200,local_lock=none,addr=192.0.2.%d\n",
			100+mount, mount>>20, mount, mount, mount%50, mount, mount%50)
	}
	return map[string]string{"proc/self/mountstats": stats.String(), "proc/self/mountinfo": info.String()}
}
