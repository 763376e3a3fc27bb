package model

// NetAppAccount is an account of Azure NetApp Files. Enum values below it are written as Azure's API writes them.
type NetAppAccount struct {
	Name          string          `yaml:"name"`
	ResourceGroup string          `yaml:"resource_group"`
	Location      string          `yaml:"location"` // such as westeurope
	Pools         []*CapacityPool `yaml:"pools"`
}

// CapacityPool is one capacity pool of an account.
type CapacityPool struct {
	Name         string          `yaml:"name"`
	ServiceLevel string          `yaml:"service_level"` // Standard, Premium, Ultra or Flexible
	QoS          string          `yaml:"qos"`           // Auto (default) or Manual; Flexible is always Manual
	SizeTiB      int64           `yaml:"size_tib"`
	CustomMiBps  int64           `yaml:"custom_throughput_mibps"` // Flexible: all that the pool may move, at least 128
	CoolAccess   bool            `yaml:"cool_access"`
	Volumes      []*NetAppVolume `yaml:"volumes"`
}

// NetAppVolume is one volume of a capacity pool.
type NetAppVolume struct {
	Name            string   `yaml:"name"`
	QuotaGiB        int64    `yaml:"quota_gib"`
	ThroughputMiBps float64  `yaml:"throughput_mibps"` // assigned; Manual pools only
	Protocols       []string `yaml:"protocols"`        // NFSv3, NFSv4.1, CIFS
	Token           string   `yaml:"creation_token"`   // export path without its slash, or SMB share; the name where left out
	Addresses       []string `yaml:"addresses"`        // of the mount targets
	SMBServer       string   `yaml:"smb_server"`       // fully qualified name; CIFS only
	Zone            string   `yaml:"zone"`             // availability zone, such as 1; empty for none
	Large           bool     `yaml:"large"`
	UsedGiB         float64  `yaml:"used_gib"` // at the epoch, with snapshots
	GrowthGiBPerDay float64  `yaml:"growth_gib_per_day"`
	SnapshotGiB     float64  `yaml:"snapshot_gib"`
	InodesUsed      int64    `yaml:"inodes_used"`
	Load            Workload `yaml:"load"`
}

// The service levels and QoS types of Azure NetApp Files, as its API writes them.
const (
	NetAppStandard = "Standard"
	NetAppPremium  = "Premium"
	NetAppUltra    = "Ultra"
	NetAppFlexible = "Flexible"
	NetAppAuto     = "Auto"
	NetAppManual   = "Manual"
)

// What Azure NetApp Files grants, from its documentation as read in 2026: MiB/s for each TiB, and the most of one volume.
const (
	netappStandardRate  = 16
	netappPremiumRate   = 64
	netappUltraRate     = 128
	netappIncluded      = 128 // of a Flexible pool
	netappVolumeMaximum = 4_500
	netappLargeMaximum  = 12_800
	gibPerTiB           = 1024
)

// Rate is what each TiB of the pool grants in MiB/s; 0 where throughput is bought apart from capacity.
func (p *CapacityPool) Rate() float64 {
	switch p.ServiceLevel {
	case NetAppStandard:
		return netappStandardRate
	case NetAppPremium:
		return netappPremiumRate
	case NetAppUltra:
		return netappUltraRate
	}
	return 0
}

// Throughput is all that the pool may move in MiB/s.
func (p *CapacityPool) Throughput() float64 {
	if p.ServiceLevel == NetAppFlexible {
		return float64(p.CustomMiBps)
	}
	return float64(p.SizeTiB) * p.Rate()
}

// Utilized is what the volumes have of the pool's throughput in MiB/s.
func (p *CapacityPool) Utilized() (sum float64) {
	for _, v := range p.Volumes {
		sum += p.limit(v)
	}
	return sum
}

// Allocated is the size of the pool's volumes in GiB.
func (p *CapacityPool) Allocated() (sum int64) {
	for _, v := range p.Volumes {
		sum += v.QuotaGiB
	}
	return sum
}

// limit is what one volume may move in MiB/s.
func (p *CapacityPool) limit(v *NetAppVolume) float64 {
	if p.QoS == NetAppManual {
		return v.ThroughputMiBps
	}
	most := float64(netappVolumeMaximum)
	if v.Large {
		most = netappLargeMaximum
	}
	return min(float64(v.QuotaGiB)/gibPerTiB*p.Rate(), most)
}

// NetAppPlacement is a volume of Azure NetApp Files with what it belongs to. What it does is that of the Placement, whose
// limit is the volume's own.
type NetAppPlacement struct {
	*Placement
	Subscription *Subscription
	Account      *NetAppAccount
	CapacityPool *CapacityPool
	NetAppVolume *NetAppVolume
}

// NetAppVolumes are all volumes of Azure NetApp Files in the description's order.
func (m *Model) NetAppVolumes() []*NetAppPlacement { return m.netapp }

func (m *Model) placeNetApp() {
	for _, s := range m.fleet.Subscriptions {
		for _, account := range s.NetAppAccounts {
			for _, pool := range account.Pools {
				for _, v := range pool.Volumes {
					m.netapp = append(m.netapp, m.netappPlacement(s, account, pool, v))
				}
			}
		}
	}
}

// netappPlacement describes the volume once more as one of a pool whose limits are set by hand, which all of them come to.
func (m *Model) netappPlacement(s *Subscription, account *NetAppAccount, pool *CapacityPool, v *NetAppVolume) *NetAppPlacement {
	path := "subscriptions/" + s.ID + "/netAppAccounts/" + account.Name + "/capacityPools/" + pool.Name
	p := &Placement{
		Pool: &Pool{Name: pool.Name, Location: account.Location, ServiceLevel: Premium, QoS: Manual, CapacityGiB: pool.SizeTiB * gibPerTiB},
		Volume: &Volume{
			Name: v.Name, CapacityGiB: v.QuotaGiB, ThroughputMiBps: pool.limit(v), LargeCapacity: v.Large, UsedGiB: v.UsedGiB,
			GrowthGiBPerDay: v.GrowthGiBPerDay, SnapshotGiB: v.SnapshotGiB, InodesUsed: v.InodesUsed, Load: v.Load,
		},
		Path: path + "/volumes/" + v.Name,
	}
	p.key, p.poolKey = hash(m.seed, p.Path), hash(m.seed, path)
	m.byPath[p.Path] = p
	return &NetAppPlacement{p, s, account, pool, v}
}
