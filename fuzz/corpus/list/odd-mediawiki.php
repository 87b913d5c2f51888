$wgMemCachedServers = array(
    "10.0.1.1:11211",
    array( "10.0.1.2:11211", 3 ),
);
