import os
from memcache import Client
hosts = os.environ["HOSTS"].split(",")
mc = Client(hosts)
if os.environ.get("STAGING"):
    mc = Client(["10.0.0.1:11211"])
other = Client(["%s:11211" % h for h in hosts])
third = Client(["[::1]:11211", "10.0.0.1:x", ("10.0.0.2:11211", 0), "10.0.0.2:11211"])
