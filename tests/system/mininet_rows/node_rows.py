# SPDX-License-Identifier: MIT
"""Rows of nodes and hosts."""

from __future__ import annotations

from tests.system.mininet_rows.rows import Group, Row, each

TWO_HOSTS = """
net = Bare()
h1, h2, s1 = net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1")
l1, l2 = net.addLink(h1, s1), net.addLink(h2, s1)
net.start()
"""

ATTRIBUTES = Group(
    "attributes of a node",
    TWO_HOSTS,
    (
        *each("Node", "h1", "name privateDirs inNamespace params intfs ports nameToIntf waiting readbuf lastCmd lastPid execed portBase waitExited", lastCmd="lazy"),
        *each("Node", "s1", "name params intfs ports nameToIntf portBase lastCmd execed inNamespace dpidLen dpid opts listenPort controlIntf", params="params", lastCmd="lazy"),
        Row("Node.shell", "h1.shell.pid == h1.pid, h1.shell.poll(), h1.shell is not None", "terminal"),
        Row("Node.pid", "type(h1.pid).__name__, os.path.exists('/proc/%d' % h1.pid), h1.pid != h2.pid"),
        Row("Node.stdin", "h1.stdin.fileno() == h1.stdout.fileno()"),
        Row("Node.stdout", "isinstance(h1.stdout.fileno(), int), h1.stdout.closed", "terminal"),
        Row("Node.pollOut", "h1.pollOut.poll(0)", "terminal"),
        Row("Node.master", "isinstance(h1.master, int), isinstance(h1.slave, int)", "terminal"),
        Row("Node.decoder", "h1.decoder.decode(b'a')", "terminal"),
        Row("Node.inToNode", "Node.inToNode[h1.stdin.fileno()] is h1"),
        Row("Node.outToNode", "Node.outToNode[h1.stdout.fileno()] is h1"),
        Row("Node.fdToNode", "Node.fdToNode(h1.stdout.fileno()) is h1, Node.fdToNode(fd=9999)"),
        Row("Node.isSetup", "Host.isSetup, Node.isSetup"),
        Row("Node", "repr(h1), str(h1), '%s' % h1"),
        Row("Host", "type(h1).__name__, type(h1).__mro__[1].__name__, issubclass(Host, Node), isinstance(s1, Node)"),
        Row("Switch", "repr(s1), str(s1), issubclass(OVSSwitch, Switch)"),
        Row("Node.checkSetup", "Host.checkSetup()"),
        Row("Node.setup", "Node.setup()"),
    ),
)  # fmt: skip

COMMANDS = Group(
    "commands of a node",
    TWO_HOSTS,
    (
        Row("Node.cmd", "h1.cmd('echo a')"),
        Row("Node.cmd", "len(h1.cmd('echo a')), len(s1.cmd('echo a'))"),
        Row("Node.cmd", "h1.cmd('echo', 'a', 1, h2, h1.intf())"),
        Row("Node.cmd", "h1.cmd(['echo', 'a  b', '$HOME'])"),
        Row("Node.cmd", "h1.cmd('echo a; echo b >&2')"),
        Row("Node.cmd", "h1.cmd('')"),
        Row("Node.cmd", "h1.cmd()", "works"),
        Row("Node.cmd", "h1.cmd('   ')"),
        Row("Node.cmd", "h1.cmd('# a comment')"),
        Row("Node.cmd", "h1.cmd('no-such-program')"),
        Row("Node.cmd", "h1.cmd('printf abc')"),
        Row("Node.cmd", "h1.cmd('printf \"a\\\\nb\"')"),
        Row("Node.cmd", "h1.cmd('cd /tmp; X=5'), h1.cmd('pwd; echo $X')"),
        Row("Node.cmd", "h1.cmd('false'), h1.cmd('echo $?')"),
        Row("Node.cmd", "h1.cmd('echo a', verbose=True)"),
        Row("Node.cmd", "h1.cmd('echo a', printPid=True), isinstance(h1.lastPid, int)"),
        Row("Node.cmd", "h1.cmd('sleep 30 &'), isinstance(h1.lastPid, int), h1.lastPid and os.path.exists('/proc/%d' % h1.lastPid)", "job"),
        Row("Node.cmd", "h1.cmd('kill %1'), h1.cmd('wait')"),
        Row("Node.cmd", "h1.cmd('jobs')"),
        Row("Node.cmd", "h1.cmd('echo \\u00e9')"),
        Row("Node.cmd", "h1.cmd('cat /etc/hostname').split() == open('/etc/hostname').read().split()"),
        Row("Node.cmd", "h1.cmd('tty') != '', h1.cmd('test -t 0 && test -t 1 && echo terminal')"),
        Row("Node.cmd", "h1.cmd('echo $TERM $PS1'), h1.cmd('echo $-'), h1.cmd('echo $0 $1')", "terminal"),
        Row("Node.cmd", "h1.cmd('type ll'), h1.cmd('set -o | grep -w monitor')"),
        Row("Node.cmd", "h1.cmd(5)"),
        Row("Node.cmd", "h1.cmd(('echo', 'a'))", "works"),
        Row("Node.cmd", "h1.cmd('seq 1 3')"),
        Row("Node.cmd", "len(h1.cmd('seq 1 30000'))"),
        Row("Node.cmd", "h1.cmd('stty size')"),
        Row("Node.cmd", "h1.lastCmd, h1.waiting"),
        Row("Node.cmd", "s1.cmd('echo a; pwd | head -c 1')"),
        Row("Node.cmdPrint", "h1.cmdPrint('echo a')"),
        Row("Node.cmdPrint", "h1.cmdPrint('echo', 'a', h2)"),
        Row("Node.sendCmd", "h1.sendCmd('echo a'), h1.waiting, h1.lastCmd, h1.waitOutput(), h1.waiting"),
        Row("Node.sendCmd", "h1.sendCmd(['echo', 'a  b']), h1.waitOutput()"),
        Row("Node.sendCmd", "h1.sendCmd('echo', 'a', 5, printPid=True), h1.waitOutput(), isinstance(h1.lastPid, int)", "job"),
        Row("Node.sendCmd", "h1.sendCmd(''), h1.waitOutput(verbose=True, findPid=True)"),
        Row("Node.waitOutput", "h1.sendCmd('echo a'), h1.waitOutput(True)"),
        Row("Node.waitOutput", "h1.sendCmd('sleep 0.1; echo a'), h1.waitOutput(findPid=False)"),
        Row("Node.sendInt", "h1.sendCmd('sleep 20'); time.sleep(0.3); h1.sendInt(), h1.waitOutput()", "terminal"),
        Row("Node.sendInt", "h1.sendCmd('sleep 20'); time.sleep(0.3); h1.sendInt(intr=chr(3)), h1.waitOutput()", "terminal"),
        Row("Node.sendInt", "h1.sendCmd('cat'); time.sleep(0.3); h1.sendInt(chr(4)), h1.waitOutput()"),
        Row("Node.monitor", "h1.sendCmd('echo a; sleep 0.2'); time.sleep(0.1); h1.monitor(), h1.waiting, h1.monitor(timeoutms=5), h1.waitOutput()"),
        Row("Node.monitor", "h1.sendCmd('echo a'), h1.monitor(timeoutms=2000, findPid=False).strip(chr(127)), h1.waitOutput()"),
        Row("Node.monitor", "h1.monitor(10)", "works"),
        Row("Node.waitReadable", "h1.waitReadable(10)", "terminal"),
        Row("Node.waitReadable", "h1.sendCmd('echo a'), len(h1.waitReadable(timeoutms=2000)), h1.waitOutput()"),
        Row("Node.read", "h1.sendCmd('echo abcdef'); time.sleep(0.3); h1.read(3), h1.read(size=2), h1.readbuf, h1.read()", "terminal"),
        Row("Node.read", "h1.waiting = False; h1.readbuf"),
        Row("Node.readline", "h1.sendCmd('echo a; echo b'); time.sleep(0.3); h1.readline(), h1.readbuf"),
        Row("Node.write", "h1.waiting = False; h1.readbuf = ''; h1.sendCmd('read x; echo got $x'); time.sleep(0.2); h1.write('hello\\n'), h1.waitOutput()"),
        Row("Node.write", "h1.sendCmd('cat'); time.sleep(0.2); h1.write(data='hi\\n' + chr(4)), h1.waitOutput()", "terminal"),
        Row("Node.pexec", "h1.pexec('echo a'), h1.pexec('echo', 'a', 'b'), h1.pexec(['echo', 'a  b'])"),
        Row("Node.pexec", "h1.pexec('ls /nowhere')[2], h1.pexec('echo e >&2; exit 3', shell=True)"),
        Row("Node.pexec", "h1.pexec('no-such-program')", "popen"),
        Row("Node.pexec", "h1.pexec('echo', 5)", "works"),
        Row("Node.pexec", "h1.pexec()", "error"),
        Row("Node.popen", "h1.popen('echo a').communicate(), h1.popen(['echo', 'a  b']).communicate(), h1.popen('echo', 'c').communicate()"),
        Row("Node.popen", "h1.popen('echo $((1+2))', shell=True).communicate()"),
        Row("Node.popen", "h1.popen('echo a', universal_newlines=True).communicate(), h1.popen('echo a', text=True).stdout.read()"),
        Row("Node.popen", "h1.popen('cat', stdin=subprocess.PIPE).communicate(b'in')"),
        Row("Node.popen", "h1.popen('sh -c \"exit 3\"', shell=True).wait(), h1.popen('false').wait()"),
        Row("Node.popen", "p = h1.popen('sleep 20'); p.poll(), p.pid > 0, p.terminate(), p.wait(), p.returncode, p.poll()"),
        Row("Node.popen", "p = h1.popen('sleep 20'); p.kill(), p.wait()"),
        Row("Node.popen", "p = h1.popen('sleep 20'); p.send_signal(signal.SIGINT), p.wait()"),
        Row("Node.popen", "isinstance(h1.popen('true'), subprocess.Popen)", "popen"),
        Row("Node.popen", "h1.popen(5)", "works"),
        Row("Node.popen", "h1.popen('no-such-program').wait()", "popen"),
        Row("Node.popen", "h1.popen('echo $X', shell=True, env={'X': '7', 'PATH': os.environ['PATH']}).communicate()[0]"),
        Row("Node.popen", "h1.popen('pwd', cwd='/usr').communicate()[0]"),
        Row("Node.popen", "h1.popen('echo e >&2', shell=True, stderr=subprocess.STDOUT).communicate()"),
        Row("Node.popen", "h1.popen('echo a', stdout=None, stderr=None).communicate()"),
        Row("Node.popen", "f = open('words', 'w+'); f.write('two words'); f.seek(0); h1.popen('wc -w', stdin=f).communicate()"),
        Row("Node.popen", "h2.popen('wc -c', stdin=h1.popen('echo hello').stdout).communicate()"),
        Row("Node.popen", "p = h1.popen('echo a'); len(select.select([p.stdout], [], [], 9)[0]), p.stdout.fileno() > 2, p.stdout.read1()"),
        Row("Node.popen", "f = open('out', 'w'); h1.popen('echo a', stdout=f).wait(), open('out').read()"),
        Row("Node.popen", "list(l for _, l in pmonitor({h1: h1.popen('echo a; echo b', shell=True)}))"),
        Row("Node.popen", "p = h1.popen('echo a; echo b', shell=True); [line for line in p.stdout]"),
        Row("Node.popen", "p = h1.popen('cat', stdin=subprocess.PIPE); p.stdin.write(b'a\\n'); p.stdin.close(); p.stdout.readline(), p.wait()"),
        Row("Node.popen", "h1.popen('echo a').args", "popen"),
        Row("Node.popen", "with h1.popen('echo a') as p: out = p.stdout.read()\nout"),
        Row("Node.popen", "p = h1.popen('sleep 5'); p.wait(timeout=0.1)"),
        Row("Node.popen", "p.kill()"),
        Row("Node.popen", "h1.popen('cat /sys/class/net/h1-eth0/mtu').communicate()[0], s1.popen('echo s').communicate()[0]"),
        Row("Node.popen", "h1.popen('echo a', encoding='utf-8').communicate()"),
        # Mininet hears the second line's output only in what comes next: nothing does.
        Row("Node.cmd", "h1.cmd('echo a\\necho b')", "whole"),
    ),
)  # fmt: skip

BUSY = Group(
    "commands while one runs",
    TWO_HOSTS,
    (
        Row("Node.sendCmd", "h1.sendCmd('sleep 0.3'); h1.sendCmd('echo b')", "works"),
        Row("Node.waitOutput", "h1.waitOutput()", "works"),
        Row("Node.cmd", "h1.sendCmd('sleep 0.3'); h1.cmd('echo b')", "error"),
        Row("Node.waitOutput", "h1.waitOutput(), h1.waiting"),
        Row("Node.cmd", "h1.cmd('if true')", "works"),
        Row("Node.cmd", "h2.cmd('echo \"a')", "works"),
    ),
)  # fmt: skip

INTERFACES = Group(
    "interfaces of a node",
    TWO_HOSTS,
    (
        Row("Node.newPort", "h1.newPort(), s1.newPort()"),
        Row("Node.defaultIntf", "h1.defaultIntf(), s1.defaultIntf()"),
        Row("Node.intf", "h1.intf(), h1.intf('h1-eth0'), h1.intf(intf=h1.intf()), h1.intf(''), s1.intf('s1-eth2'), s1.intf()"),
        Row("Node.intf", "h1.intf('nothing')"),
        Row("Node.intf", "h1.intf(5)", "works"),
        Row("Node.intfs", "h1.intfs, s1.intfs"),
        Row("Node.intfList", "h1.intfList(), s1.intfList()"),
        Row("Node.intfNames", "h1.intfNames(), s1.intfNames()"),
        Row("Node.connectionsTo", "h1.connectionsTo(s1), h1.connectionsTo(node=h2), s1.connectionsTo(h2)"),
        Row("Node.IP", "h1.IP(), h1.IP('h1-eth0'), h1.IP(intf=h1.intf()), s1.IP(), s1.IP('s1-eth1')"),
        Row("Node.MAC", "len(h1.MAC()), h1.MAC() == h1.MAC('h1-eth0'), h1.MAC(intf=h1.intf()) == h1.intf().mac, s1.MAC()", "addresses"),
        Row("Node.MAC", "len(s1.MAC('s1-eth1'))"),
        Row("Node.IP", "h1.IP('nothing')"),
        Row("Node.intfIsUp", "h1.intfIsUp(), h1.intfIsUp('h1-eth0'), h1.intfIsUp(intf=h1.intf()), s1.intfIsUp('s1-eth1')"),
        Row("Node.setIP", "h1.setIP('10.0.0.7/24')"),
        Row("Node.setIP", "h1.IP(), h1.intf().prefixLen", "numbers"),
        Row("Node.setIP", "h1.setIP('10.0.0.8')"),
        Row("Node.setIP", "h1.setIP('10.0.0.8', 16), h1.intf().prefixLen"),
        Row("Node.setIP", "h1.setIP(ip='10.0.0.1', prefixLen=8, intf='h1-eth0')"),
        Row("Node.setIP", "h1.setIP('10.0.0.300')", "refused"),
        Row("Node.setIP", "h1.IP()"),
        Row("Node.setIP", "h1.setIP('10.0.0.1/8')"),
        Row("Node.setMAC", "h1.setMAC('00:00:00:00:00:aa')"),
        Row("Node.setMAC", "h1.MAC(), h1.intf().mac"),
        Row("Node.setMAC", "h1.setMAC(mac='00:00:00:00:00:AB', intf='h1-eth0'), h1.MAC()", "numbers"),
        Row("Node.setMAC", "h1.setMAC('nonsense')", "refused"),
        Row("Node.setMAC", "h1.setMAC('00:00:00:00:00:01')"),
        Row("Node.setARP", "h1.setARP('10.0.0.2', '00:00:00:00:00:02')"),
        Row("Node.setARP", "h1.setARP(ip='10.0.0.9', mac='00:00:00:00:00:09')"),
        Row("Node.setARP", "h1.setARP('10.0.0', 'nonsense')", "refused"),
        Row("Node.setARP", "h1.setARP('172.16.0.1', '00:00:00:00:00:09')", "refused"),
        Row("Node.setHostRoute", "h1.setHostRoute('10.0.0.77', 'h1-eth0')"),
        Row("Node.setHostRoute", "h1.setHostRoute(ip='10.0.0.78', intf='h1-eth0')"),
        Row("Node.setHostRoute", "h1.setHostRoute('10.0.0.77', 'nothing')", "refused"),
        Row("Node.setHostRoute", "h1.setHostRoute('10.0.0.79', h1.intf())"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute()", "route"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute('via 10.0.0.2')", "route"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute('dev h1-eth0 via 10.0.0.3')"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute(intf='h1-eth0')"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute(h1.intf())"),
        Row("Node.setDefaultRoute", "h1.setDefaultRoute('via 1.2.3.4')", "route"),
        Row("Node.setParam", "r = {}; h1.setParam(r, 'setIP', ip='10.0.0.5/8'), sorted(r)", "route"),
        Row("Node.setParam", "h1.setParam(results=r, method='IP', x=None), h1.setParam(r, 'nothing', x=1), h1.setParam(r, 'cmd', x=['echo', 'a']), h1.setParam(r, 'intf', y={'intf': None})"),
        Row("Node.config", "sorted(h1.config())"),
        Row("Node.config", "sorted(h1.config(mac='00:00:00:00:00:22', ip='10.0.0.22/8', defaultRoute='via 10.0.0.2', lo='up', other=1))"),
        Row("Node.config", "sorted(h1.config(ip='10.0.0.22/8'))"),
        Row("Node.config", "h1.config(lo='down'), 'UP' in h1.cmd('ip link show lo')"),
        Row("Node.configDefault", "h1.configDefault()"),
        Row("Node.configDefault", "h1.configDefault(ip='10.0.0.23/8'), h1.params['ip']"),
        Row("Node.linkTo", "l3 = h1.linkTo(h2); l3, h1.intfNames(), h2.intfNames()", "shown"),
        Row("Node.linkTo", "l4 = h1.linkTo(node=h2, link=Link); str(l4)"),
        Row("Node.delIntf", "h1.delIntf(l4.intf1), h1.intfNames(), h1.delIntf(intf=l4.intf1)"),
        Row("Node.addIntf", "h1.addIntf(l4.intf1, port=7), h1.ports[l4.intf1], h1.intfNames()", "works"),
        Row("Node.addIntf", "h1.delIntf(l4.intf1); h1.addIntf(intf=l4.intf1, port=None, moveIntfFn=lambda *a: None), h1.intfs"),
        Row("moveIntf", "makeIntfPair('ma1', 'ma2'); moveIntf('ma1', h1), 'ma1' in h1.cmd('ip link')"),
        Row("moveIntf", "moveIntf(intf='ma2', dstNode=h2, printError=True, retries=1, delaySecs=0.001)"),
        Row("moveIntf", "moveIntf('nothing', h2, printError=True, retries=1, delaySecs=0)", "error"),
        Row("moveIntfNoRetry", "moveIntfNoRetry('nothing', h2), moveIntfNoRetry(intf='nothing', dstNode=h2, printError=True)"),
        Row("Node.deleteIntfs", "h2.deleteIntfs(checkName=True), h2.intfNames()", "ports"),
        Row("Node.deleteIntfs", "h1.deleteIntfs(), h1.intfNames(), h1.defaultIntf()", "ports"),
        Row("Node.IP", "h1.IP()", "works"),
        Row("waitListening", "h2.cmd('socat TCP-LISTEN:99,fork - &') and 1, waitListening(h2, '127.0.0.1', 99, 5), waitListening(client=h2, server='127.0.0.1', port=98, timeout=1)", "progress"),
    ),
)  # fmt: skip

ENDING = Group(
    "ends of a node",
    TWO_HOSTS,
    (
        Row("Node.startShell", "h1.startShell()", "lasts"),
        Row("Node.startShell", "h1.startShell(mnopts=None)", "lasts"),
        Row("Node.mountPrivateDirs", "h1.privateDirs = ['/mnt']; h1.mountPrivateDirs(), 'tmpfs' in h1.cmd('grep /mnt /proc/mounts')"),
        Row("Node.unmountPrivateDirs", "h1.unmountPrivateDirs(), h1.cmd('grep /mnt /proc/mounts'); h1.privateDirs = []"),
        Row("Node.terminate", "h1.terminate(), h1.shell", "lasts"),
        Row("Node.cmd", "h1.cmd('echo a')", "lasts"),
        Row("Node.cleanup", "h1.cleanup(), h1.shell", "lasts"),
        Row("Node.stop", "h2.stop(), h2.shell, h2.intfNames()", "lasts"),
        Row("Node.stop", "h2.stop(deleteIntfs=True), h2.intfNames()", "lasts"),
    ),
)  # fmt: skip

OPTIONS = Group(
    "options of hosts",
    """
os.makedirs("/tmp/private-source", exist_ok=True)
net = Bare()
h1 = net.addHost("h1", ip="10.0.0.9/24", mac="00:00:00:00:00:09", defaultRoute="via 10.0.0.1", extra=5)
h2 = net.addHost("h2", ip=None)
h3 = net.addHost("h3", inNamespace=False)
h4 = net.addHost("h4", privateDirs=["/var/tmp", ("/mnt", "/tmp/private-%(name)s")])
h5 = net.addHost("h5", ip="10.5")
h6 = net.addHost("h6", defaultRoute="h6-eth0")
s1 = net.addSwitch("s1", dpid="ab:cd", listenPort=6634, opts="")
for h in (h1, h2, h3, h4, h5, h6):
    net.addLink(h, s1)
net.start()
""",
    (
        Row("Host.ip", "h1.IP(), h1.params, h1.intf().prefixLen", "numbers"),
        Row("Host.ip", "h2.IP(), h2.params"),
        Row("Host.ip", "h5.IP(), h5.params, h5.intf().prefixLen", "numbers"),
        Row("Host.mac", "h1.MAC(), h1.cmd('cat /sys/class/net/h1-eth0/address')"),
        Row("Host.defaultRoute", "h1.cmd('ip route show default'), h6.cmd('ip route show default')"),
        Row("Host.inNamespace", "h3.inNamespace, h3.intfNames(), os.path.exists('/sys/class/net/h3-eth0'), h3.IP()"),
        Row("Host.privateDirs", "h4.privateDirs, h4.cmd('touch /mnt/x /var/tmp/y; ls /tmp/private-h4'), os.path.exists('/var/tmp/y'), h4.cmd('grep -c -e /mnt -e /var/tmp /proc/mounts')"),
        Row("Switch.dpid", "s1.dpid, s1.listenPort, s1.opts, quietRun('ovs-vsctl get bridge s1 datapath_id')"),
        Row("Node.params", "s1.params", "params"),
        Row("Mininet.nextIP", "net.nextIP"),
    ),
)  # fmt: skip

GROUPS = (ATTRIBUTES, COMMANDS, BUSY, INTERFACES, ENDING, OPTIONS)
