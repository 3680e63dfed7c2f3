    return softmax(z / c["temperature"])
