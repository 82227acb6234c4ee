"""Makes `colours`, a SavedModel: an image of one channel or of three becomes one of three, which is then filtered."""

import tensorflow as tf


class Colours(tf.Module):
    """Colours and a filter for them."""

    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.reshape(tf.range(12.0), [2, 2, 3, 1]) / 12)

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, None], tf.float32, name="images")])
    def __call__(self, images):
        depth = tf.shape(images)[-1]
        is_known = tf.logical_or(tf.equal(depth, 3), tf.equal(depth, 1))
        with tf.control_dependencies([tf.debugging.Assert(is_known, ["depth must be 3 or 1"])]):
            images = tf.identity(images)
        colours = tf.cond(tf.equal(depth, 3), lambda: images, lambda: tf.image.grayscale_to_rgb(images))
        return {"filtered": tf.nn.conv2d(colours, self.kernel, strides=1, padding="SAME")}


if __name__ == "__main__":
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    model = Colours()
    tf.saved_model.save(model, "examples/colours", signatures=model.__call__, options=options)
