# -*- coding: utf-8 -*-
import pylibmc

BEHAVIORS = {
    "ketama_weighted": True,  # what others call ketama
    "tcp_nodelay": True,
}

mc = pylibmc.Client(
    ["10.0.1.1:11211", '10.0.1.2:11212:2', u"10.0.1.3:21213:5"],
    binary=True,
    behaviors=BEHAVIORS,
)
mc.set("key", 1)
