package check

import (
	"testing"

	"rentgen/app/guide"
)

const (
	dfHeader = "Filesystem      Size  Used Avail Use% Mounted on\n"
	dfTyped  = "Filesystem     Type     Size  Used Avail Use% Mounted on\n"
	dfInodes = "Filesystem     Type      Inodes   IUsed    IFree IUse% Mounted on\n"
)

func TestDf(t *testing.T) {
	runCases(t, guide.DiskDf, []netCase{
		{
			name: "sizes and inodes of our own command", command: "df -hPT; df -iP", track: guide.Shared, want: guide.Pass,
			out: dfTyped + "overlay        overlay   30G  1.4G   29G   5% /\ntmpfs          tmpfs     64M     0   64M   0% /dev\nshm            tmpfs     45G     0   45G   0% /dev/shm\n" +
				"/dev/sda2      ext4     440G   17G  401G   4% /usr/bin/nvidia-smi\n/dev/sda2      ext4     440G   17G  401G   4% /etc/hosts\n/dev/md127     xfs       50G   16G   34G  33% /root/autodl-tmp\n" +
				"Filesystem        Inodes   IUsed    IFree IUse% Mounted on\noverlay         15728640  120000 15608640    1% /\n/dev/sda2       29000000  120000 15608640    1% /etc/hosts\n/dev/md127      26214400    1200 26213200    1% /root/autodl-tmp\n",
			facts: `{"persistent_candidates":["/root/autodl-tmp"],"persistent_avail_gib":34,"root_total_gib":30,"root_avail_gib":29,"root_use_pct":5,"shm_mib":46080,"inode_use_pct":1,
				"file_bind_mounts":["/usr/bin/nvidia-smi","/etc/hosts"],"readonly_mounts":[],"network_mounts":[],"capacity_trustworthy":true}`,
		},
		{
			name: "the inodes of the data disk are cut off", command: "df -hPT; df -iP", track: guide.Shared, want: guide.Warn, rule: "no-inodes",
			out: dfTyped + "overlay overlay 30G 1.4G 29G 5% /\n/dev/md127 xfs 50G 16G 34G 33% /root/autodl-tmp\n" + dfInodes + "overlay overlay 15728640 120000 15608640 1% /\n",
		},
		{
			name: "long names are wrapped", command: "df -h", want: guide.Pass,
			out:   dfHeader + "/dev/mapper/ubuntu--vg-ubuntu--lv\n                       98G   23G   71G  25% /\n/dev/mapper/vg_data-models_and_pictures\n                      493G   12G  456G   3% /data\n",
			facts: `{"root_avail_gib":71,"persistent_candidates":["/data"],"persistent_avail_gib":456}`,
		},
		{
			name: "wrapped, with types", command: "df -hT", want: guide.Pass,
			out:   dfTyped + "/dev/mapper/ubuntu--vg-ubuntu--lv\n              ext4      98G   23G   71G  25% /\n",
			facts: `{"root_avail_gib":71,"persistent_candidates":[]}`,
		},
		{
			name: "busybox in blocks of 1 KiB", command: "df", want: guide.Pass,
			out:   "Filesystem           1K-blocks      Used Available Use% Mounted on\noverlay              103081248  31457280  66347392  32% /\ntmpfs                    65536         0     65536   0% /dev\nshm                    8388608         0   8388608   0% /dev/shm\n/dev/vdb1            516061624  12582912 477195824   3% /data\n",
			facts: `{"root_total_gib":98.31,"root_avail_gib":63.27,"persistent_avail_gib":455.1,"shm_mib":8192}`,
		},
		{
			name: "POSIX, 1024-blocks and Capacity is no Mac", command: "df -P", want: guide.Pass,
			out:   "Filesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/vda1        103081248 31457280  66347392      33% /\n/dev/vdb1        516061624 12582912 477195824       3% /data\n",
			facts: `{"root_avail_gib":63.27,"persistent_candidates":["/data"]}`,
		},
		{
			name: "blocks of a megabyte", command: "df -BM", want: guide.Pass,
			out:   "Filesystem     1M-blocks   Used Available Use% Mounted on\n/dev/vda1        100665M 30720M    64792M  33% /\n",
			facts: `{"root_avail_gib":63.27}`,
		},
		{
			name: "German, with commas", command: "df -h", want: guide.Pass,
			out:   "Dateisystem    Größe Benutzt Verf. Verw% Eingehängt auf\n/dev/vda1        98G     23G   71G   25% /\ntmpfs           1,6G       0  1,6G    0% /run\n/dev/vdb1       1,5T    200G  1,3T   14% /srv/models\n",
			facts: `{"persistent_avail_gib":1331.2}`,
		},
		{
			name: "Chinese, inodes of a full disk", command: "df -h; df -i", track: guide.Shared, want: guide.Fail, rule: "inodes",
			out: "文件系统        容量  已用  可用 已用% 挂载点\noverlay          30G  2.0G   28G    7% /\n/dev/md127       50G   17G   34G   33% /root/autodl-tmp\n" +
				"文件系统       Inodes 已用(I) 可用(I) 已用(I)% 挂载点\noverlay      15728640  120000 15608640       1% /\n/dev/md127     200000  200000        0     100% /root/autodl-tmp\n",
			facts: `{"inode_use_pct":100,"locale":"zh","persistent_avail_gib":34}`,
		},
		{
			name: "pasted with prompts and the command", command: "", track: guide.Shared, want: guide.Pass,
			out:   "root@autodl-container-1a2b:~# df -h\n" + dfHeader + "overlay          30G  1.4G   29G   5% /\n/dev/md127      100G   17G   84G  17% /root/autodl-tmp\nroot@autodl-container-1a2b:~# \n",
			facts: `{"persistent_avail_gib":84}`,
		},
		{
			name: "the pool of a network volume with the rest", command: "df -h", track: guide.Shared, want: guide.Warn, rule: "pool",
			out:   dfHeader + "overlay          50G  1.1G   49G   3% /\ntmpfs            64M     0   64M   0% /dev\nshm              29G     0   29G   0% /dev/shm\nmfs#us-1.runpod.net:9421  1.6P  1.2P  400T  75% /workspace\n",
			facts: `{"capacity_trustworthy":false,"persistent_candidates":["/workspace"],"persistent_avail_gib":null,"network_mounts":["/workspace"]}`,
		},
		{
			name: "petabytes without that name", command: "df -h", track: guide.Shared, want: guide.Warn, rule: "pool",
			out:   dfHeader + "overlay          50G  1.1G   49G   3% /\n10.0.0.8:/vol/a  3.1P  2.2P  900T  71% /mnt/share\n",
			facts: `{"capacity_trustworthy":false,"network_mounts":["/mnt/share"]}`,
		},
		{
			name: "the quota is used up though space is shown", command: "df -h /workspace; touch /workspace/a", exit: 1, track: guide.Shared, want: guide.Fail, rule: "quota",
			out:   dfHeader + "mfs#us-1.runpod.net:9421  1.6P  1.2P  400T  75% /workspace\ntouch: cannot touch '/workspace/a': Disk quota exceeded\n",
			facts: `{"error":"quota_exceeded"}`,
		},
		{
			name: "quota of a write from Python", command: "python main.py", exit: 1, track: guide.Shared, want: guide.Fail, rule: "quota",
			out: "OSError: [Errno 122] Disk quota exceeded: '/workspace/ComfyUI/models/a.safetensors'\n", facts: `{"error":"quota_exceeded"}`,
		},
		{
			name: "root is nearly full", command: "df -h", track: guide.Shared, want: guide.Fail, rule: "root-full",
			out:   dfHeader + "overlay          30G   30G  420M  99% /\n/dev/md127       50G   17G   34G  33% /root/autodl-tmp\n",
			facts: `{"root_use_pct":99}`,
		},
		{
			name: "root at 90 %", command: "df -h", want: guide.Warn, rule: "root-used",
			out: dfHeader + "/dev/vda1       200G  180G   20G  90% /\n/dev/vdb1       500G   20G  480G   4% /data\n",
		},
		{
			name: "the data disk is full", command: "df -h", track: guide.Shared, want: guide.Fail, rule: "data-full",
			out: dfHeader + "overlay          30G  1.4G   29G   5% /\n/dev/md127       50G   50G   20K 100% /root/autodl-tmp\n",
		},
		{
			name: "a data disk of 20 GiB", command: "df -h", track: guide.Shared, want: guide.Warn, rule: "data-low",
			out: dfHeader + "overlay          30G  1.4G   29G   5% /\n/dev/md127       20G     0   20G   0% /root/autodl-tmp\n",
		},
		{
			name: "boot, snaps and others' layers count for nothing", command: "df -hT", want: guide.Pass,
			out: dfTyped + "tmpfs tmpfs 3.2G 2.1M 3.2G 1% /run\n/dev/nvme0n1p2 ext4 916G 210G 660G 25% /\n/dev/loop0 squashfs 64M 64M 0 100% /snap/core20/2318\n/dev/nvme0n1p1 vfat 511M 6.1M 505M 2% /boot/efi\n" +
				"overlay overlay 916G 210G 660G 25% /var/lib/docker/overlay2/0a/merged\ntmpfs tmpfs 16G 0 16G 0% /dev/shm\ntmpfs tmpfs 3.2G 96K 3.2G 1% /run/user/1000\n",
			facts: `{"persistent_candidates":[],"readonly_mounts":["/snap/core20/2318"],"root_avail_gib":660}`,
		},
		{
			name: "df can't read what is the desktop's", command: "df -h", exit: 1, want: guide.Pass,
			out: dfHeader + "/dev/sda1       916G  210G  660G  25% /\ndf: /run/user/1000/doc: Operation not permitted\n",
		},
		{
			name: "a share that went away", command: "df -h", exit: 1, want: guide.Warn, rule: "broken",
			out: "df: /mnt/nas: Stale file handle\n" + dfHeader + "/dev/sda1       916G  210G  660G  25% /\n",
		},
		{
			name: "the directory isn't there", command: "df -h /root/autodl-tmp", exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-dir",
			out: "df: /root/autodl-tmp: No such file or directory\n",
		},
		{
			name: "the data disk alone", command: "df -h /root/autodl-tmp", track: guide.Shared, want: guide.Warn, rule: "no-root",
			out: dfHeader + "/dev/md127       50G   17G   34G  33% /root/autodl-tmp\n", context: `{"dir":"/root/autodl-tmp"}`, facts: `{"persistent_avail_gib":34,"mount_point":"/root/autodl-tmp"}`,
		},
		{name: "no header", command: "df -h / | tail -1", want: guide.Pass, out: "/dev/vda1       252G   12G   80G  14% /\n", facts: `{"root_avail_gib":80}`},
		{name: "a cut row", command: "df -h", want: guide.Warn, rule: "unread", out: dfHeader + "/dev/vda1       252G   12G   80G  14% /\n/dev/vdb1       500G   20G  4"},
		{name: "nothing", command: "df -h", exit: 1, want: guide.Warn, rule: "unread"},
		{name: "no such tool", command: "df -h", exit: 127, want: guide.Warn, rule: "unread", out: "sh: 1: df: not found\n"},
		{
			name: "what stops downloads is said before a small shm", command: "df -h", want: guide.Warn, rule: "root-low",
			out: dfHeader + "overlay          30G   27G  2.7G  91% /\nshm              64M     0   64M   0% /dev/shm\n/dev/vdb1       500G   20G  480G   4% /data\n",
		},
		{
			name: "a small shm", command: "df -h", want: guide.Warn, rule: "shm", facts: `{"shm_mib":64}`,
			out: dfHeader + "overlay         200G   20G  180G  10% /\nshm              64M     0   64M   0% /dev/shm\n/dev/vdb1       500G   20G  480G   4% /data\n",
		},
		{
			name: "a mount point with a blank", command: "df -h", want: guide.Pass,
			out: dfHeader + "/dev/vda1       252G   12G   80G  14% /\n/dev/sdb1       500G   20G  480G   4% /mnt/my models\n", facts: `{"persistent_candidates":["/mnt/my models"]}`,
		},
		{
			name: "file stores and public data of a provider", command: "df -h", track: guide.Shared, want: guide.Pass,
			out:   dfHeader + "overlay          30G  5.2G   25G  18% /\n/dev/nvme1n1    7.0T  3.7T  3.3T  53% /autodl-pub\nAutoFS:fs1      200G   12G  188G   6% /root/autodl-fs\n/dev/md0         50G  1.0G   49G   3% /root/autodl-tmp\n",
			facts: `{"persistent_candidates":["/root/autodl-fs","/root/autodl-tmp"],"persistent_avail_gib":188,"readonly_mounts":["/autodl-pub"],"network_mounts":["/root/autodl-fs"]}`,
		},
		{
			name: "libraries of the driver are single files", command: "df -h", track: guide.Shared, want: guide.Warn, rule: "no-data-disk",
			out:   dfHeader + "overlay          50G  5.2G   45G  11% /\n/dev/sda2       440G   17G  401G   4% /usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07\n/dev/sda2       440G   17G  401G   4% /etc/resolv.conf\n/dev/sda2       440G   17G  401G   4% /usr/bin/nvidia-debugdump\n",
			facts: `{"persistent_candidates":[],"file_bind_mounts":["/usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07","/etc/resolv.conf","/usr/bin/nvidia-debugdump"]}`,
		},
		{
			name: "powers of 1000", command: "df -H", want: guide.Pass,
			out: "Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1       106G   66G   38G  65% /\n", facts: `{"root_avail_gib":35.39}`,
		},
		{
			name: "btrfs has no inodes to run out of", command: "df -h; df -i", want: guide.Pass,
			out: dfHeader + "/dev/vda1       252G   12G   80G  14% /\nFilesystem     Inodes IUsed IFree IUse% Mounted on\n/dev/vda1           0     0     0     - /\n",
		},
		{
			name: "no space, from a download", command: "wget https://example.com/a", exit: 1, want: guide.Fail, rule: "no-space",
			out: "a.safetensors: No space left on device\n\nCannot write to 'a.safetensors' (Success).\n",
		},
	})
}

func TestMount(t *testing.T) {
	probed := `{"dir":"/root/autodl-tmp","probe_ok":true}`
	ours := "findmnt -T /root/autodl-tmp -o TARGET,SOURCE,FSTYPE,OPTIONS || mount\nf=/root/autodl-tmp/.rentgen-probe-$$\ntouch \"$f\" && rm -f \"$f\" && echo 'probe file: written and removed'"
	head := "TARGET           SOURCE                            FSTYPE OPTIONS\n"
	row := "/root/autodl-tmp /dev/md0[/volumes/instance-data]  xfs    rw,relatime,attr2,inode64,prjquota\n"
	runCases(t, guide.DiskMount, []netCase{
		{
			name: "our own command", command: ours, track: guide.Shared, want: guide.Pass, out: head + row + "probe file: written and removed\n",
			facts: `{"mount_point":"/root/autodl-tmp","fstype":"xfs","writable":true,"persistent_candidates":["/root/autodl-tmp"],"network_mounts":[]}`,
		},
		{name: "the probe is missing", command: ours, exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-probe", out: head + row, facts: `{"writable":true}`},
		{
			name: "refused by rights", command: ours, exit: 1, track: guide.Shared, want: guide.Fail, rule: "no-right", out: head + row + "touch: cannot touch '/root/autodl-tmp/.rentgen-probe-7': Permission denied\n",
			facts: `{"writable":false}`,
		},
		{
			name: "refused by quota", command: ours, exit: 1, track: guide.Shared, want: guide.Fail, rule: "quota", out: head + row + "touch: cannot touch '/root/autodl-tmp/.rentgen-probe-7': Disk quota exceeded\n",
			facts: `{"writable":false,"error":"quota_exceeded"}`,
		},
		{name: "refused, full", command: ours, exit: 1, track: guide.Shared, want: guide.Fail, rule: "no-space", out: head + row + "touch: cannot touch '/root/autodl-tmp/x': No space left on device\n"},
		{name: "refused, in Chinese", command: "touch /autodl-pub/.probe", exit: 1, track: guide.Shared, want: guide.Fail, rule: "read-only", out: "touch: 无法创建 '/autodl-pub/.probe': 只读文件系统\n", facts: `{"error":"read_only","writable":false}`},
		{name: "busybox refuses", command: "touch /data/.probe", exit: 1, want: guide.Fail, rule: "read-only", out: "touch: /data/.probe: Read-only file system\n"},
		{name: "a probe that failed elsewhere", command: "findmnt -T /root/autodl-tmp", track: guide.Shared, context: `{"dir":"/root/autodl-tmp","probe_ok":false}`, want: guide.Fail, rule: "no-write", out: head + row},
		{name: "without header", command: "findmnt -n -T /root/autodl-tmp -o TARGET,SOURCE,FSTYPE,OPTIONS", track: guide.Shared, context: probed, want: guide.Pass, out: "/root/autodl-tmp /dev/md0[/a] xfs rw,relatime\n"},
		{
			name: "as pairs", command: "findmnt -P -T '/mnt/my models'", context: `{"dir":"/mnt/my models","probe_ok":true}`, want: guide.Pass, rule: "ok-blank",
			out: `TARGET="/mnt/my models" SOURCE="/dev/sdb1" FSTYPE="ext4" OPTIONS="rw,relatime"` + "\n", facts: `{"mount_point":"/mnt/my models"}`,
		},
		{
			name: "as JSON", command: "findmnt -J -T /data", context: `{"dir":"/data","probe_ok":true}`, want: guide.Pass,
			out: "{\n   \"filesystems\": [\n      {\"target\":\"/data\", \"source\":\"/dev/vdb1\", \"fstype\":\"ext4\", \"options\":\"rw,relatime\"}\n   ]\n}\n", facts: `{"mount_point":"/data","fstype":"ext4"}`,
		},
		{
			name: "a tree", command: "findmnt", context: `{"dir":"/data/models","probe_ok":true}`, want: guide.Pass,
			out:   "TARGET                       SOURCE     FSTYPE     OPTIONS\n/                            /dev/vda1  ext4       rw,relatime,errors=remount-ro\n├─/sys                       sysfs      sysfs      rw,nosuid\n│ └─/sys/fs/cgroup           cgroup2    cgroup2    rw,nosuid\n├─/run                       tmpfs      tmpfs      rw,nosuid,size=3272676k\n└─/data                      /dev/vdb1  xfs        rw,noatime\n",
			facts: `{"persistent_candidates":["/data"],"mount_point":"/data"}`,
		},
		{
			name: "the directory is on the layer", command: ours, track: guide.Shared, want: guide.Fail, rule: "layer",
			out: head + "/      overlay overlay rw,relatime,lowerdir=/var/lib/docker/overlay2/l/A:/var/lib/docker/overlay2/l/B,upperdir=/x,workdir=/y\nprobe file: written and removed\n", facts: `{"mount_point":"/"}`,
		},
		{
			name: "on a whole machine the root counts", command: "findmnt -T /home/me/models -o TARGET,SOURCE,FSTYPE,OPTIONS", context: `{"dir":"/home/me/models","probe_ok":true}`, want: guide.Pass,
			out: head + "/      /dev/vda1 ext4 rw,relatime,errors=remount-ro\n",
		},
		{name: "remounted read-only", command: "mount | grep data", context: `{"dir":"/data"}`, want: guide.Fail, rule: "read-only", out: "/dev/vdb1 on /data type ext4 (ro,relatime)\n", facts: `{"writable":false,"matches":1}`},
		{name: "the kernel's word for it", command: "dmesg | tail", want: guide.Fail, rule: "read-only", out: "[ 812.1] EXT4-fs (vdb1): Remounting filesystem read-only\n"},
		{name: "another provider's name", command: "mount | grep workspace", exit: 1, track: guide.Shared, want: guide.Warn, rule: "not-found", facts: `{"matches":0}`},
		{
			name: "own disk found by name", command: "mount | grep autodl", track: guide.Shared, context: probed, want: guide.Pass,
			out:   "/dev/nvme1n1 on /autodl-pub type ext4 (ro,relatime)\nAutoFS:fs1 on /autodl-pub/data type fuse (ro,nosuid,nodev,relatime,user_id=0,group_id=0)\n/dev/md0 on /root/autodl-tmp type xfs (rw,relatime,attr2,inode64,prjquota)\n",
			facts: `{"matches":3,"mount_point":"/root/autodl-tmp","readonly_mounts":["/autodl-pub","/autodl-pub/data"]}`,
		},
		{
			name: "own disk found by name, not probed", command: "mount | grep autodl-tmp", track: guide.Shared, want: guide.Warn, rule: "no-probe",
			out: "/dev/md0 on /root/autodl-tmp type xfs (rw,relatime,attr2,inode64,prjquota)\n", facts: `{"matches":1,"writable":true}`,
		},
		{
			name: "NFS", command: "mount | grep models", context: `{"dir":"/mnt/models","probe_ok":true}`, want: guide.Warn, rule: "network",
			out: "10.0.0.8:/export/models on /mnt/models type nfs4 (rw,relatime,vers=4.2,addr=10.0.0.8)\n", facts: `{"network_mounts":["/mnt/models"],"fstype":"nfs4"}`,
		},
		{
			name: "Ceph", command: "findmnt -T /share", context: `{"dir":"/share","probe_ok":true}`, want: guide.Warn, rule: "network",
			out: head + "/share 10.0.0.1:6789,10.0.0.2:6789:/volumes/a ceph rw,relatime,name=u,secret=<hidden>,acl\n",
		},
		{
			name: "JuiceFS by FUSE", command: "findmnt -T /share", context: `{"dir":"/share","probe_ok":true}`, want: guide.Warn, rule: "network", out: head + "/share JuiceFS:pool fuse.juicefs rw,relatime,user_id=0\n",
		},
		{
			name: "a table of the kernel", command: "cat /proc/mounts", context: `{"dir":"/mnt/my models/sdxl","probe_ok":true}`, want: guide.Pass, rule: "ok-blank",
			out:   "/dev/sda1 / ext4 rw,relatime,errors=remount-ro 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n/dev/sdb1 /mnt/my\\040models ext4 rw,relatime 0 0\n",
			facts: `{"persistent_candidates":["/mnt/my models"],"mount_point":"/mnt/my models"}`,
		},
		{
			name: "mountinfo", command: "cat /proc/self/mountinfo", context: `{"dir":"/data","probe_ok":true}`, want: guide.Pass,
			out: "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n23 22 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n80 22 254:17 / /data rw,noatime shared:40 - xfs /dev/vdb1 rw,attr2\n",
		},
		{
			name: "mountinfo of a disk that went read-only", command: "cat /proc/self/mountinfo", context: `{"dir":"/data"}`, want: guide.Fail, rule: "read-only",
			out: "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n23 22 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n80 22 254:17 / /data rw,noatime shared:40 - ext4 /dev/vdb1 ro\n",
		},
		{
			name: "no mount that persists, busybox", command: "mount", track: guide.Shared, want: guide.Fail, rule: "none",
			out:   "overlay on / type overlay (rw,relatime,lowerdir=/a:/b,upperdir=/c,workdir=/d)\nproc on /proc type proc (rw,nosuid,nodev,noexec,relatime)\ntmpfs on /dev type tmpfs (rw,nosuid,size=65536k,mode=755)\ndevpts on /dev/pts type devpts (rw,nosuid,noexec)\nshm on /dev/shm type tmpfs (rw,nosuid,nodev,noexec,relatime,size=8388608k)\n/dev/sda2 on /etc/resolv.conf type ext4 (rw,relatime)\n/dev/sda2 on /usr/bin/nvidia-smi type ext4 (ro,nosuid)\n",
			facts: `{"persistent_candidates":[],"shm_mib":8192,"file_bind_mounts":["/etc/resolv.conf","/usr/bin/nvidia-smi"]}`,
		},
		{
			name: "the whole list, a disk, and no question", command: "mount", track: guide.Shared, want: guide.Warn, rule: "no-probe",
			out: "overlay on / type overlay (rw,relatime,lowerdir=/a,upperdir=/c,workdir=/d)\nproc on /proc type proc (rw)\n/dev/vdb on /workspace type ext4 (rw,relatime)\n", facts: `{"persistent_candidates":["/workspace"]}`,
		},
		{
			name: "in RAM", command: "findmnt -T /dev/shm/models", track: guide.Shared, context: `{"dir":"/dev/shm/models","probe_ok":true}`, want: guide.Fail, rule: "ram", out: head + "/dev/shm shm tmpfs rw,nosuid,nodev,noexec,relatime,size=8388608k\n",
		},
		{name: "findmnt finds nothing", command: "findmnt -T /workspace", exit: 1, track: guide.Shared, want: guide.Warn, rule: "unread"},
		{name: "a directory that isn't there", command: ours, exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-dir", out: "touch: cannot touch '/root/autodl-tmp/.rentgen-probe-3': No such file or directory\n"},
		{name: "a probe alone proves no mount", command: "touch /workspace/.probe && rm /workspace/.probe", track: guide.Shared, want: guide.Warn, rule: "unread"},
		{name: "a cut line", command: "mount", track: guide.Shared, want: guide.Warn, rule: "unread", out: "overlay on / type overlay (rw,relatime,lowerdir=/var/lib/doc"},
		{
			name: "findmnt is missing, the list answers", command: ours, track: guide.Shared, want: guide.Pass,
			out: "sh: 1: findmnt: not found\noverlay on / type overlay (rw,relatime)\nproc on /proc type proc (rw)\n/dev/md0 on /root/autodl-tmp type xfs (rw,relatime)\nprobe file: written and removed\n",
		},
		{name: "not a mountpoint", command: "mountpoint /workspace", exit: 1, track: guide.Shared, want: guide.Warn, rule: "on-root", out: "/workspace is not a mountpoint\n"},
	})
}
