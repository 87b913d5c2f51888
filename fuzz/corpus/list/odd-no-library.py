client = Client(["10.0.0.1:11211"])
